// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace gossamer {

/// A further base class of a Machine that has programs of a whole network of groups: its parts read
/// Demand::groups, and its check() refuses programs that do not serve all groups.
class SpansGroups {
 public:
  SpansGroups() = default;
  SpansGroups(const SpansGroups&) = delete;
  SpansGroups& operator=(const SpansGroups&) = delete;
  virtual ~SpansGroups() = default;
};

}  // namespace gossamer
