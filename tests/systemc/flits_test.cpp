// SPDX-License-Identifier: Apache-2.0
/// Packets of several flits on routers that store and forward: every flit a packet of its own, in
/// its cycle of the step, on all three engines. Steps then take as many cycles as packets have
/// flits, and every link carries what the plan says, cycle by cycle.
#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "gossamer/machines/stream/program.hpp"
#include "gossamer/machines/timetable/program.hpp"
#include "gossamer/planner/planner.hpp"
#include "gossamer/report/physical.hpp"
#include "gossamer/sim/engines.hpp"
#include "gossamer/sim/run.hpp"

using namespace gossamer;

namespace {

/// Own packet c of a port becomes flits c F .. c F + F - 1, flit g of which goes in cycle g of a
/// step: turn g of a frame of F.
StreamProgram in_turns(const StreamProgram& program, std::uint32_t flits) {
  const auto expanded = [flits](PortSet ports, std::uint32_t turn) {
    PortSet all;
    for (const Port port : ports) all.insert(static_cast<Port>(port * flits + turn));
    return all;
  };
  const int ports = program.ports();
  StreamProgram result(program.nodes(), ports * static_cast<int>(flits),
                       program.packets_per_node() * flits, flits);
  for (NodeId node = 0; node < program.nodes(); ++node) {
    for (Port port = 0; port < ports; ++port) {
      const StreamPort& at = program.at(node, port);
      for (std::uint32_t turn = 0; turn < flits; ++turn) {
        StreamPort entry;
        entry.feed = expanded(at.feed, turn);
        entry.early_feed = expanded(at.early_feed, turn);
        entry.switch_step = at.switch_step == 0 ? 0 : (at.switch_step - 1) * flits + 1;
        for (const std::uint16_t packet : at.preload) {
          entry.preload.push_back(static_cast<std::uint16_t>(packet * flits + turn));
        }
        result.set(node, static_cast<Port>(port * flits + turn), entry);
      }
    }
  }
  return result;
}

/// F rows for each: the g-th handles flit g.
TimetableProgram in_turns(const TimetableProgram& program, std::uint32_t flits) {
  const auto flit_of = [flits](WordSource source, std::uint32_t flit) {
    if (source.none()) return source;
    const std::uint32_t index = source.index() * flits + flit;
    return source.is_own() ? WordSource::own(index) : WordSource::slot(index);
  };
  const auto by_step = [](const auto& a, const auto& b) {
    return std::pair(a.step, a.port) < std::pair(b.step, b.port);
  };
  TimetableProgram result(program.nodes(), program.ports(), program.own() * flits,
                          program.delivery());
  result.relative = program.relative;
  std::vector<std::uint32_t> numbers;
  for (const TimetableRom& rom : program.roms()) {
    TimetableRom all;
    for (std::uint32_t flit = 0; flit < flits; ++flit) {
      for (SendRow row : rom.sends) {
        row.step = (row.step - 1) * flits + flit + 1;
        row.source = flit_of(row.source, flit);
        all.sends.push_back(row);
      }
      for (ArrivalRow row : rom.arrivals) {
        row.step = (row.step - 1) * flits + flit + 1;
        if (row.slot != ArrivalRow::kNoSlot) row.slot = row.slot * flits + flit;
        all.arrivals.push_back(row);
      }
    }
    std::sort(all.sends.begin(), all.sends.end(), by_step);
    std::sort(all.arrivals.begin(), all.arrivals.end(), by_step);
    numbers.push_back(result.intern(std::move(all)));
  }
  for (NodeId node = 0; node < program.nodes() && !program.one_rom(); ++node) {
    result.assign(node, numbers[program.rom_of(node)]);
  }
  return result;
}

Plan flit_by_flit(const Plan& plan, std::uint32_t flits) {
  Plan result = plan;
  result.parameters.clear();
  result.demand = Demand::all_gather(plan.demand.pieces * flits);
  if (plan.program.is<StreamProgram>()) {
    result.program = in_turns(plan.program.as<StreamProgram>(), flits);
  } else {
    result.program = in_turns(plan.program.as<TimetableProgram>(), flits);
    result.expected.queue_depth *= flits;
  }
  result.expected.analytic_steps.reset();
  result.expected.analytic_cycles.reset();
  result.expected.lower_bound_steps.reset();
  result.expected.bound_steps.reset();
  return result;
}

/// The trace of packets as one of flits: row (step, port, packet) is F rows.
std::string in_flits(const std::string& trace, std::uint64_t flits) {
  std::istringstream lines(trace);
  std::string line;
  std::getline(lines, line);
  std::vector<std::array<std::uint64_t, 5>> rows;
  while (std::getline(lines, line)) {
    std::array<std::uint64_t, 5> row{};
    std::istringstream numbers(line);
    for (std::uint64_t& number : row) {
      numbers >> number;
      numbers.ignore();
    }
    for (std::uint64_t flit = 0; flit < flits; ++flit) {
      rows.push_back({(row[0] - 1) * flits + flit + 1, 0, row[2], row[3], row[4] * flits + flit});
    }
  }
  std::sort(rows.begin(), rows.end());
  std::ostringstream text;
  text << "step,hop,from,port,packet\n";
  for (const auto& row : rows) {
    text << row[0] << ',' << row[1] << ',' << row[2] << ',' << row[3] << ',' << row[4] << '\n';
  }
  return text.str();
}

struct FlitCase {
  std::vector<std::uint32_t> sides;
  const char* algorithm;
  std::map<std::string, ParameterValue> parameters;
  std::uint32_t flits;
};

}  // namespace

TEST_CASE("a step of F flits takes F cycles: engines send every flit in its cycle", "[flits]") {
  const std::vector<FlitCase> cases = {
      {{4, 4}, "hamiltonian", {}, 2},
      {{4, 4}, "hamiltonian", {{"packets", std::int64_t{4}}}, 3},
      {{5, 4}, "hamiltonian", {{"packets", std::int64_t{3}}}, 4},
      {{4, 5}, "two-packet", {}, 4},
      {{4, 4, 3}, "hamiltonian", {}, 2},
      {{6, 6}, "one-packet", {}, 3},
      {{5, 4}, "scheduled", {}, 5},
      {{3, 3, 3}, "scheduled", {{"packets", std::int64_t{3}}}, 2},
  };
  for (const FlitCase& at : cases) {
    const Topology topology = Topology::torus(at.sides);
    Plan plan = make_plan({topology, "gossip", at.algorithm, at.parameters, {}});
    CAPTURE(topology.dims_text(), at.algorithm, at.flits);
    std::ostringstream packets;
    RunOptions options;
    options.trace = &packets;
    const Report by_packets = run_plan(plan, *make_fast_engine(plan), options);
    REQUIRE(by_packets.problems.empty());

    // The report for the given number of bytes: a flit of 32 bits is four.
    const std::uint64_t bytes = plan.demand.pieces * at.flits * 4;
    set_message(plan, {{"bytes", static_cast<std::int64_t>(bytes)}});
    const Report message = run_plan(plan, *make_fast_engine(plan));
    REQUIRE(message.problems.empty());
    REQUIRE(message.physical->packet_flits == at.flits);

    const Plan flits = flit_by_flit(plan, at.flits);
    const std::string expected = in_flits(packets.str(), at.flits);
    std::vector<std::unique_ptr<Engine>> engines;
    engines.push_back(make_fast_engine(flits));
    engines.push_back(make_engine("systemc", flits));
    engines.push_back(make_engine("rtl", flits));
    for (const auto& engine : engines) {
      std::ostringstream trace;
      options.trace = &trace;
      options.judged = true;
      const Report run = run_plan(flits, *engine, options);
      CAPTURE(run.engine);
      CHECK(run.problems.empty());
      CHECK(run.complete == true);
      CHECK(run.cycles == message.cycles);
      CHECK(run.cycles == *by_packets.steps * at.flits);
      CHECK(run.link_transfers == message.physical->events->links);
      CHECK(trace.str() == expected);
    }
  }
}
