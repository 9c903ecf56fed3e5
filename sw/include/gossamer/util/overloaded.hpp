// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace gossamer {

/// One visitor made of several lambdas, for std::visit over a plan's program.
template <class... Fs>
struct Overloaded : Fs... {
  using Fs::operator()...;
};
template <class... Fs>
Overloaded(Fs...) -> Overloaded<Fs...>;

}  // namespace gossamer
