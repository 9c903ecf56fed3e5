// SPDX-License-Identifier: Apache-2.0
/// Makers of words that see every word of a message, and the nodes of every group.
#pragma once

#include "gossamer/sim/arithmetic.hpp"

namespace gossamer {

/// With other makers an engine may combine only the first word of a message, since all words are
/// combined alike, and all groups of a plan contribute the same words. With this one, results are
/// numbered flit by flit, and word() gets the node in the whole network and the piece's number in
/// the vector of its group.
class EveryWordMaker : public WordMaker {};

}  // namespace gossamer
