// SPDX-License-Identifier: Apache-2.0
/// Experiments as documents.
#include <array>
#include <limits>

#include "document_parts.hpp"
#include "gossamer/util/error.hpp"

namespace gossamer {

namespace {

using json = nlohmann::ordered_json;

constexpr auto kIntervalNames = std::to_array<std::string_view>({"bound", "exact"});
std::string_view interval_name(IntervalRule rule) {
  return kIntervalNames[static_cast<std::size_t>(rule)];
}

}  // namespace

void write_dynamic_fields(const DynamicProgram& program, DocumentWriter& out) {
  out.string("interval", interval_name(program.interval));
  const std::array<std::pair<std::string_view, bool>, 5> flags = {{{"split", program.split},
                                                                   {"alternate", program.alternate},
                                                                   {"skip_last", program.skip_last},
                                                                   {"two_way", program.two_way},
                                                                   {"wrap", program.wrap}}};
  for (const auto& [name, value] : flags) out.boolean(name, value);
  out.number("flits", program.clock.flits);
  out.number("prefix_flits", program.clock.prefix_flits);
  out.list("load_millionths", program.load_millionths);
  out.number("broadcasts", program.broadcasts);
  out.number("seed", program.seed);
}

DynamicProgram read_dynamic_fields(Fields& fields) {
  DynamicProgram program;
  program.interval = read_name<IntervalRule>(fields, "interval", kIntervalNames);
  program.split = fields.flag("split");
  program.alternate = fields.flag("alternate");
  program.skip_last = fields.flag("skip_last");
  program.two_way = fields.flag("two_way");
  program.wrap = fields.flag("wrap");
  program.clock.flits = fields.number<std::uint32_t>("flits", 1, kMaxPacketFlits);
  program.clock.prefix_flits = fields.number<std::uint32_t>("prefix_flits", 1, program.clock.flits);
  for (const json& load : fields.array("load_millionths")) {
    if (program.load_millionths.size() == kMaxLoads) {
      throw InputError(
          fmt::format("{}: load_millionths: more than {} loads", fields.place(), kMaxLoads));
    }
    program.load_millionths.push_back(static_cast<std::uint32_t>(
        checked_number(load, fields.place() + ": load_millionths", 1, kMaxLoadMillionths)));
  }
  if (program.load_millionths.empty()) {
    throw InputError(fmt::format("{}: load_millionths: there is none", fields.place()));
  }
  program.broadcasts =
      fields.number<std::uint64_t>("broadcasts", kMinDynamicBroadcasts, kMaxDynamicBroadcasts);
  program.seed = fields.number<std::uint64_t>("seed", 0, std::numeric_limits<std::int64_t>::max());
  return program;
}

void upgrade_experiment(Document& document) {
  json& root = document.root;
  const auto program = root.find("program");
  if (program == root.end() || !program->is_object() ||
      program->value("discipline", json()) != "dynamic") {
    return;
  }
  // First, for a member that root gets moves all others.
  program->erase("discipline");
  root["format"] = kExperimentFormat;
  if (root.contains("expected") && root["expected"].is_object()) {
    root["queue_depth"] = root["expected"].value("queue_depth", json());
  }
  root.erase("expected");
}

}  // namespace gossamer
