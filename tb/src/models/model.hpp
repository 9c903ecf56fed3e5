// SPDX-License-Identifier: Apache-2.0
/// The common part of every source of a model: the wrapper of its family and, at the end,
/// GOSSAMER_MODEL.
#pragma once

#include <memory>
#include <utility>

namespace gossamer::tb {

template <typename Class, typename Maker>
struct MakerOf;
/// A function of type Maker that creates a Class.
template <typename Class, typename Interface, typename... Arguments>
struct MakerOf<Class, std::unique_ptr<Interface>(Arguments...)> {
  static std::unique_ptr<Interface> make(Arguments... arguments) {
    return std::make_unique<Class>(std::forward<Arguments>(arguments)...);
  }
};

}  // namespace gossamer::tb

/// Exports the function of type `maker` that creates the class given as second argument, for
/// model_maker().
#define GOSSAMER_MODEL(maker, ...)                                         \
  namespace gossamer::tb {                                                 \
  extern "C" {                                                             \
  [[gnu::visibility("default")]] extern maker* const gossamer_model_maker; \
  maker* const gossamer_model_maker = &MakerOf<__VA_ARGS__, maker>::make;  \
  }                                                                        \
  }
