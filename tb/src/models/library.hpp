// SPDX-License-Identifier: Apache-2.0
/// The library of Verilated models: shared objects, so that what a run has no use for is neither
/// loaded nor, in a build tree, compiled.
#pragma once

#include <string>

namespace gossamer::tb {

/// The symbol `gossamer_model_maker` of the model `name`, which is loaded when first asked for and
/// stays. It is looked for where shared libraries of this program are (its run path); one that is
/// missing or of other sources is compiled if the program stands in its build tree. Throws
/// InputError, which says what is missing and what to do.
[[nodiscard]] const void* find_model(const std::string& name);

/// What makes models `name` of rtl/CMakeLists.txt.
template <typename Maker>
[[nodiscard]] Maker& model_maker(const std::string& name) {
  return **static_cast<Maker* const*>(find_model(name));
}

}  // namespace gossamer::tb
