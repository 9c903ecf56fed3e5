// SPDX-License-Identifier: Apache-2.0
/// The library of Verilated models: shared objects, so that models that a run does not need are
/// neither loaded nor, in a build tree, compiled.
#pragma once

#include <string>

namespace gossamer::tb {

/// The symbol `gossamer_model_maker` of the model `name`, which is loaded on first use and never
/// unloaded. It is searched in the directories of this program's shared libraries (its run path). A
/// model that is missing or from other sources is compiled if the program is in its build tree.
/// Throws InputError, whose message names the missing model and the remedy.
[[nodiscard]] const void* find_model(const std::string& name);

/// The function that creates models `name` of rtl/CMakeLists.txt.
template <typename Maker>
[[nodiscard]] Maker& model_maker(const std::string& name) {
  return **static_cast<Maker* const*>(find_model(name));
}

}  // namespace gossamer::tb
