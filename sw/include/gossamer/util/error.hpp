// SPDX-License-Identifier: Apache-2.0
/// The two ways a request can fail that the user can fix. All other failures are bugs in Gossamer
/// and surface as std::logic_error (exit status 4).
#pragma once

#include <stdexcept>
#include <string>

namespace gossamer {

/// Malformed input: a bad option, a damaged file, a number out of range. Exit status 2.
/// The message is one line that names the place and the cause.
class InputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A well-formed request that no plan can satisfy. Exit status 3.
/// The message names the violated condition and the nearest feasible choice.
class InfeasibleError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace gossamer
