// SPDX-License-Identifier: Apache-2.0
/// What the SystemVerilog of broadcasts and of reductions by relays have in common: headers, lists
/// of sends, and the cycles in which steps begin.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "gossamer/emit/emit.hpp"
#include "gossamer/machines/relay/router_pins.hpp"
#include "../../emit/sv_text.hpp"

namespace gossamer::emit_detail {

/// The narrowest header that the sends of a relay plan fit. Throws InputError for paths of too many
/// stretches.
[[nodiscard]] RelayFormat narrow_format(const Plan& plan);
/// Bits of the further stretches of a header, and of an entry of a list (gsm_relay_list).
[[nodiscard]] int more_bits(const RelayFormat& format);
[[nodiscard]] int entry_bits(const RelayFormat& format);
/// Throws InputError when a list of so many entries and bits is none that tools take.
void check_list(std::size_t entries, std::size_t bits);
/// Writes entry number `index` of a list.
void put_entry(Literal& list, std::size_t index, const RelayFormat& format,
               const RelayEntry& entry);
/// The header of a send as it leaves its sender, in the low bits.
[[nodiscard]] RelayData header_of(const RelayFormat& format, const RelayEntry& entry);
/// The parameter StepStarts of gsm_relay_steps, of nodes that are `told` them. Throws InputError
/// when it is longer than tools take.
[[nodiscard]] std::string step_starts(const RelayRouterConfigs& configs, bool told, int start_bits);

/// The network of a reduction by relays.
[[nodiscard]] std::vector<EmittedFile> emit_relay_sums_sv(const Plan& plan);

}  // namespace gossamer::emit_detail
