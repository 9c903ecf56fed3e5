// SPDX-License-Identifier: Apache-2.0
/// The fast engines of plans that combine, for who wants other words than the judge.
#pragma once

#include <memory>

#include "gossamer/sim/arithmetic.hpp"
#include "gossamer/sim/engine.hpp"

namespace gossamer {

/// Ends by itself. The program must combine and outlive the engine. Throws InputError when the
/// vectors have to be kept and would take more memory than allowed.
[[nodiscard]] std::unique_ptr<Engine> make_combining_engine(const Topology& topology,
                                                            const StreamProgram& program,
                                                            const Arithmetic& arithmetic = {});

/// Word `word` of the messages of a reduction by relays, each flit of which carries one; ends by
/// itself. The plan must hold a relay program that combines, and outlive the engine.
[[nodiscard]] std::unique_ptr<Engine> make_relayed_sum_engine(const Plan& plan,
                                                              const Arithmetic& arithmetic,
                                                              std::uint32_t word);

}  // namespace gossamer
