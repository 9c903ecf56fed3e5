// SPDX-License-Identifier: Apache-2.0
/// Engines that execute several rounds.
#pragma once

namespace gossamer {

/// A base class of engines besides Engine.
class Restartable {
 public:
  Restartable() = default;
  Restartable(const Restartable&) = delete;
  Restartable& operator=(const Restartable&) = delete;
  virtual ~Restartable() = default;

  /// Ends the present round and begins the next one: the engine is in its first cycle again, as
  /// after its construction. Words of nodes are read again.
  virtual void restart() = 0;
};

}  // namespace gossamer
