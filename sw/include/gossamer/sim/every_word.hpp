// SPDX-License-Identifier: Apache-2.0
/// Makers of words that see every word of a message.
#pragma once

#include "gossamer/sim/arithmetic.hpp"

namespace gossamer {

/// With other makers an engine may combine only the first word of a message, since all words are
/// combined alike. With this one, results are numbered flit by flit.
class EveryWordMaker : public WordMaker {};

}  // namespace gossamer
