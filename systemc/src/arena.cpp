// SPDX-License-Identifier: Apache-2.0
#include "gossamer/systemc/arena.hpp"

namespace gossamer::systemc {

ArenaLink::ArenaLink(const sc_core::sc_module_name& name, const LinkArena& arena, LinkId slot)
    : sc_core::sc_module(name), arena_(&arena), slot_(slot) {}

}  // namespace gossamer::systemc
