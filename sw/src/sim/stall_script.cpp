// SPDX-License-Identifier: Apache-2.0
#include "gossamer/sim/stall_script.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <sstream>

#include "gossamer/util/error.hpp"
#include "gossamer/util/input_file.hpp"
#include "gossamer/util/text.hpp"

namespace gossamer {

namespace {

/// In place of a node or a port: all of them.
constexpr std::uint64_t kAny = 0xFFFFFFFF;

/// A published mixer of 32 bits (docs/algorithms/elastic.md).
constexpr std::uint32_t mix(std::uint32_t x) {
  x ^= x >> 16U;
  x *= 0x7feb352dU;
  x ^= x >> 15U;
  x *= 0x846ca68bU;
  return x ^ (x >> 16U);
}

constexpr std::uint64_t window_key(Gate gate, std::uint64_t node, std::uint64_t port) {
  return static_cast<std::uint64_t>(gate) << 56U | (port & 0xFFU) << 40U | node;
}

template <typename Number>
bool parse_number(std::string_view text, Number& number) {
  const auto value = whole_number(text, std::numeric_limits<Number>::max());
  if (value) number = static_cast<Number>(*value);
  return value.has_value();
}

std::vector<std::string> divided(const std::string& text, char mark) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, mark);) parts.push_back(part);
  if (text.ends_with(mark)) parts.emplace_back();
  return parts;
}

}  // namespace

StallScript StallScript::parse(const std::string& text, const Topology& topology) {
  constexpr std::string_view kRandom = "random:";
  if (!text.starts_with(kRandom)) {
    InputFile in(text, fmt::format("--stall: \"{}\" is neither random:SEED:S,M,V[:SKEW] nor a file "
                                   "that can be read",
                                   text));
    return read(in.stream(), in.name(), topology);
  }
  const auto refuse = [&text](std::string_view cause) {
    throw InputError(
        fmt::format("--stall: \"{}\": {}; the form is random:SEED:S,M,V[:SKEW]", text, cause));
  };
  const std::vector<std::string> parts = divided(text, ':');
  if (parts.size() < 3 || parts.size() > 4) refuse("three or four parts are expected");
  StallScript script;
  RandomStalls& random = script.random_.emplace();
  if (!parse_number(parts[1], random.seed)) refuse("the seed is a number below 2^32");
  const std::vector<std::string> rates = divided(parts[2], ',');
  if (rates.size() != kGates) refuse("three rates are expected");
  for (std::size_t gate = 0; gate < rates.size(); ++gate) {
    if (!parse_number(rates[gate], random.rates[gate]) || random.rates[gate] > 256) {
      refuse("a rate is a number from 0 to 256");
    }
  }
  if (parts.size() == 4 && !parse_number(parts[3], random.skew)) {
    refuse("the skew is a number of cycles below 2^32");
  }
  return script;
}

StallScript StallScript::read(std::istream& in, std::string_view name, const Topology& topology) {
  StallScript script;
  std::uint64_t number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    line.erase(std::remove_if(line.begin(), line.end(),
                              [](char c) { return c == ' ' || c == '\t' || c == '\r'; }),
               line.end());
    if (line.empty() || line.starts_with('#')) continue;
    if (number == 1 && line == "kind,node,port,cycle,length") continue;
    const auto refuse = [&](const std::string& cause) {
      throw InputError(fmt::format("{}: line {}: {}", name, number, cause));
    };
    const std::vector<std::string> fields = divided(line, ',');
    if (fields.size() != 5) refuse("kind,node,port,cycle,length are expected");
    const auto kind = std::string_view("smv012").find(fields[0]);
    if (fields[0].size() != 1 || kind == std::string_view::npos) {
      refuse(fmt::format("kind \"{}\": s, m or v is expected", fields[0]));
    }
    const auto gate = static_cast<Gate>(kind % kGates);
    std::uint64_t node = kAny;
    if (fields[1] != "-" && (!parse_number(fields[1], node) || node >= topology.nodes())) {
      refuse(fmt::format("node \"{}\": there are 0 to {}", fields[1], topology.nodes() - 1));
    }
    std::uint64_t port = kAny;
    if (fields[2] != "-") {
      const auto named = port_from_name(fields[2], topology.dimensions());
      if (named) {
        port = *named;
      } else if (!parse_number(fields[2], port) ||
                 port >= static_cast<std::uint64_t>(topology.ports())) {
        refuse(fmt::format("port \"{}\": there is no such port", fields[2]));
      }
    }
    Window window{0, kNever};
    std::uint64_t length = 0;
    if (!parse_number(fields[3], window.begin)) {
      refuse(fmt::format("cycle \"{}\": a number is expected", fields[3]));
    }
    if (fields[4] != "-") {
      if (!parse_number(fields[4], length) || length > kNever - window.begin) {
        refuse(fmt::format("length \"{}\": a number or - is expected", fields[4]));
      }
      window.end = window.begin + length;
    }
    script.windows_[window_key(gate, node, port)].push_back(window);
  }
  return script;
}

std::uint64_t StallScript::start(NodeId node) const {
  if (!random_ || random_->skew == 0) return 0;
  return mix(mix(random_->seed ^ 0x5eedU) + node) % random_->skew;
}

std::uint64_t StallScript::behind_windows(Gate gate, NodeId node, Port port,
                                          std::uint64_t cycle) const {
  for (const std::uint64_t n : {std::uint64_t{node}, kAny}) {
    for (const std::uint64_t p : {std::uint64_t{port}, kAny}) {
      const auto found = windows_.find(window_key(gate, n, p));
      if (found == windows_.end()) continue;
      for (const Window& window : found->second) {
        if (window.begin <= cycle && cycle < window.end) return window.end;
      }
    }
  }
  return cycle;
}

bool StallScript::is_open(Gate gate, NodeId node, Port port, std::uint64_t cycle) const {
  if (!random_) return windows_.empty() || behind_windows(gate, node, port, cycle) == cycle;
  const auto kind = static_cast<std::uint32_t>(gate);
  const std::uint32_t rate = random_->rates[kind];
  if (rate == 0 || rate == 256) return rate != 0;
  const std::uint32_t place = mix(mix(random_->seed + 0x9e3779b9U * (kind + 1)) + 16 * node + port);
  return mix(place + static_cast<std::uint32_t>(cycle)) >> 24U < rate;
}

std::uint64_t StallScript::next_open(Gate gate, NodeId node, Port port, std::uint64_t from) const {
  if (!random_) {
    if (windows_.empty()) return from;
    for (std::uint64_t cycle = from;;) {
      const std::uint64_t behind = behind_windows(gate, node, port, cycle);
      if (behind == cycle || behind == kNever) return behind;
      cycle = behind;
    }
  }
  if (random_->rates[static_cast<std::size_t>(gate)] == 0) return kNever;
  std::uint64_t cycle = from;
  while (!is_open(gate, node, port, cycle)) ++cycle;
  return cycle;
}

}  // namespace gossamer
