// SPDX-License-Identifier: Apache-2.0
#include "gossamer/topology/link_periods.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>

#include "gossamer/topology/topology.hpp"
#include "gossamer/util/error.hpp"
#include "gossamer/util/text.hpp"
#include "gossamer/util/words.hpp"

namespace gossamer {

namespace {

/// Numerators and denominators of rates are at most this.
constexpr std::uint32_t kMostOfRate = 1'000'000;

std::string axis_name(int dim) {
  std::string name = port_name(make_port(dim, true));
  name.pop_back();
  return name;
}

bool has_inside_links(const Topology& topology, const LinkPeriods& periods, std::size_t axis) {
  const std::uint32_t side = topology.sides()[axis];
  return side > 1 && (periods.chiplets.empty() || periods.chiplets[axis] > 1);
}
bool has_links_between(const Topology& topology, const LinkPeriods& periods, std::size_t axis) {
  return !periods.chiplets.empty() && periods.chiplets[axis] < topology.sides()[axis];
}

/// Calls visit(axis, between) for each kind of link that exists.
template <typename Visit>
void for_each_kind(const Topology& topology, const LinkPeriods& periods, Visit visit) {
  for (std::size_t axis = 0; axis < topology.sides().size(); ++axis) {
    if (has_inside_links(topology, periods, axis)) visit(axis, false);
    if (has_links_between(topology, periods, axis)) visit(axis, true);
  }
}

void check_chiplets(const Topology& topology, const std::vector<std::uint32_t>& chiplets) {
  if (chiplets.empty()) return;
  if (chiplets.size() != topology.sides().size()) {
    throw InputError(fmt::format("chiplets: {} has {} sides, the network has {}",
                                 joined(chiplets, "x"), chiplets.size(), topology.dimensions()));
  }
  for (std::size_t axis = 0; axis < chiplets.size(); ++axis) {
    if (chiplets[axis] != 0 && topology.sides()[axis] % chiplets[axis] == 0) continue;
    throw InputError(fmt::format("chiplets: side {} does not divide side {} of the network",
                                 chiplets[axis], topology.sides()[axis]));
  }
}

/// A number such as 3, 1/4 or 0.25.
std::optional<LinkRate> rate_of(std::string_view text) {
  const std::size_t slash = text.find('/');
  const std::size_t point = text.find('.');
  LinkRate rate;
  if (slash != std::string_view::npos) {
    const auto above = whole_number(text.substr(0, slash), kMostOfRate);
    const auto below = whole_number(text.substr(slash + 1), kMostOfRate);
    if (!above || !below) return std::nullopt;
    rate = {static_cast<std::uint32_t>(*above), static_cast<std::uint32_t>(*below)};
  } else if (point != std::string_view::npos) {
    constexpr std::size_t kMostDigits = 6;
    const std::string_view digits = text.substr(point + 1);
    if (digits.empty() || digits.size() > kMostDigits) return std::nullopt;
    const auto whole = whole_number(point == 0 ? "0" : text.substr(0, point), kMostOfRate);
    const auto part = whole_number(digits, kMostOfRate);
    if (!whole || !part) return std::nullopt;
    for (std::size_t i = 0; i < digits.size(); ++i) rate.steps *= 10;
    const std::uint64_t packets = *whole * rate.steps + *part;
    const std::uint64_t divisor = std::gcd(packets, std::uint64_t{rate.steps});
    if (packets / divisor > kMostOfRate) return std::nullopt;
    rate.packets = static_cast<std::uint32_t>(packets / divisor);
    rate.steps = static_cast<std::uint32_t>(rate.steps / divisor);
  } else {
    const auto number = whole_number(text, kMostOfRate);
    if (!number) return std::nullopt;
    rate.packets = static_cast<std::uint32_t>(*number);
  }
  if (rate.packets == 0 || rate.steps == 0) return std::nullopt;
  return rate;
}

std::string text_of(const LinkRate& rate) {
  return rate.steps == 1 ? std::to_string(rate.packets)
                         : fmt::format("{}/{}", rate.packets, rate.steps);
}

/// "x=1,y=1/4", by axis; empty for axes that are not named. `one_for_all`: "1/4" names all.
std::vector<std::optional<LinkRate>> rates_of(const Topology& topology, const std::string& option,
                                              std::string_view text, bool one_for_all) {
  std::vector<std::optional<LinkRate>> rates(topology.sides().size());
  const auto refuse = [&](const std::string& cause) {
    throw InputError(fmt::format("--{}: {}", option, cause));
  };
  const auto parse = [&](std::string_view number) {
    const auto rate = rate_of(number);
    if (!rate) {
      refuse(fmt::format("\"{}\": a number above 0 is expected, e.g. 2, 1/4 or 0.25", number));
    }
    return *rate;
  };
  if (one_for_all && text.find('=') == std::string_view::npos) {
    std::fill(rates.begin(), rates.end(), parse(text));
    return rates;
  }
  for (const std::string_view part : words_of(text, ',')) {
    const std::size_t equals = part.find('=');
    if (equals == std::string_view::npos) {
      refuse(fmt::format("\"{}\": AXIS=NUMBER is expected, e.g. x=1,y=1/4", part));
    }
    const std::string axis(part.substr(0, equals));
    const auto port = port_from_name(axis + "+", topology.dimensions());
    if (!port) {
      refuse(fmt::format("\"{}\" is not an axis of the {} network", axis, topology.dims_text()));
    }
    auto& rate = rates[static_cast<std::size_t>(dimension_of(*port))];
    if (rate) refuse(fmt::format("axis {} is given twice", axis));
    rate = parse(part.substr(equals + 1));
  }
  if (text.empty() || text.back() == ',') refuse("a rate is missing at the end");
  return rates;
}

/// Steps per packet, a / b in lowest terms, relative to another rate.
struct Ratio {
  std::uint64_t above;
  std::uint64_t below;
};
Ratio ratio_to(const LinkRate& rate, const LinkRate& unit) {
  const std::uint64_t above = std::uint64_t{rate.steps} * unit.packets;
  const std::uint64_t below = std::uint64_t{rate.packets} * unit.steps;
  const std::uint64_t divisor = std::gcd(above, below);
  return {above / divisor, below / divisor};
}

}  // namespace

Topology Topology::with_link_periods(LinkPeriods periods) const {
  const std::size_t axes = sides_.size();
  check_chiplets(*this, periods.chiplets);
  if (periods.inside.size() != axes ||
      periods.between.size() != (periods.chiplets.empty() ? 0 : axes)) {
    throw InputError(fmt::format("links: {} periods are expected", axes));
  }
  for (const auto* list : {&periods.inside, &periods.between}) {
    for (const std::uint32_t period : *list) {
      if (period >= 1 && period <= kMaxLinkPeriod) continue;
      throw InputError(fmt::format("links: period {} is outside 1..{}", period, kMaxLinkPeriod));
    }
  }
  std::uint32_t divisor = 0;
  std::uint32_t least = kMaxLinkPeriod;
  std::uint32_t most = 0;
  for_each_kind(*this, periods, [&](std::size_t axis, bool between) {
    const std::uint32_t period = (between ? periods.between : periods.inside)[axis];
    divisor = std::gcd(divisor, period);
    least = std::min(least, period);
    most = std::max(most, period);
  });
  if (least == most) throw InputError("links: all links have the same period");
  if (divisor != 1) {
    throw InputError(fmt::format("links: the periods have the common divisor {}", divisor));
  }
  Topology unequal = *this;
  unequal.periods_ = std::move(periods);
  return unequal;
}

Topology Topology::with_equal_links() const {
  Topology equal = *this;
  equal.periods_ = {};
  return equal;
}

std::uint32_t Topology::period(NodeId from, Port out_port) const {
  if (periods_.inside.empty()) return 1;
  const int dim = dimension_of(out_port);
  const auto axis = static_cast<std::size_t>(dim);
  return crosses_dies(from, out_port) ? periods_.between[axis] : periods_.inside[axis];
}

bool Topology::crosses_dies(NodeId from, Port out_port) const {
  if (periods_.chiplets.empty()) return false;
  const int dim = dimension_of(out_port);
  const std::uint32_t chiplet = periods_.chiplets[static_cast<std::size_t>(dim)];
  if (chiplet == side(dim)) return false;
  const std::uint32_t at = from / stride(dim) % side(dim) + (is_positive(out_port) ? 1 : 0);
  return at % chiplet == 0;
}

std::uint32_t Topology::slowest_period() const {
  std::uint32_t slowest = 1;
  if (has_equal_links()) return slowest;
  for_each_kind(*this, periods_, [&](std::size_t axis, bool between) {
    slowest = std::max(slowest, (between ? periods_.between : periods_.inside)[axis]);
  });
  return slowest;
}

std::vector<std::uint32_t> periods_by_link(const Topology& topology) {
  std::vector<std::uint32_t> periods;
  periods.reserve(topology.link_slots());
  for (NodeId node = 0; node < topology.nodes(); ++node) {
    for (const Port port : all_ports(topology.ports())) {
      const bool exists = topology.neighbor(node, port) != kNoNode;
      periods.push_back(exists ? topology.period(node, port) : 1);
    }
  }
  return periods;
}

Topology with_link_rates(const Topology& topology, const LinkRateTexts& texts) {
  if (texts.empty()) return topology;
  const std::size_t axes = topology.sides().size();
  if (!texts.link_rate.empty() && !texts.link_bits.empty()) {
    throw InputError("--link-rate: excludes --link-bits of axes, which also define the rates");
  }
  if (texts.chiplets.empty() && !texts.die_link_rate.empty()) {
    throw InputError("--die-link-rate: requires --chiplets, e.g. --chiplets 4x4");
  }
  std::vector<LinkRate> inside(axes);
  if (!texts.link_rate.empty()) {
    const auto rates = rates_of(topology, "link-rate", texts.link_rate, false);
    for (std::size_t axis = 0; axis < axes; ++axis) inside[axis] = rates[axis].value_or(LinkRate{});
  }
  if (!texts.link_bits.empty()) {
    const auto widths = rates_of(topology, "link-bits", texts.link_bits, false);
    std::uint32_t widest = 1;
    for (std::size_t axis = 0; axis < axes; ++axis) {
      if (!widths[axis]) {
        if (topology.sides()[axis] == 1) continue;
        throw InputError(fmt::format("--link-bits: the width of axis {} is missing",
                                     axis_name(static_cast<int>(axis))));
      }
      if (widths[axis]->steps != 1) {
        throw InputError(
            fmt::format("--link-bits: {}: a number of bits is expected", text_of(*widths[axis])));
      }
      widest = std::max(widest, widths[axis]->packets);
    }
    // A packet per step on the widest links.
    for (std::size_t axis = 0; axis < axes; ++axis) {
      if (widths[axis]) inside[axis] = {widths[axis]->packets, widest};
    }
  }
  LinkPeriods periods;
  std::vector<LinkRate> between;
  if (!texts.chiplets.empty()) {
    const auto sides = whole_numbers(texts.chiplets, 'x');
    if (!sides) {
      throw InputError(
          fmt::format("--chiplets: \"{}\": sides are expected, e.g. 4x4", texts.chiplets));
    }
    try {
      check_chiplets(topology, *sides);
    } catch (const InputError& error) {
      throw InputError(fmt::format("--{}", error.what()));
    }
    periods.chiplets = *sides;
    between = inside;
    if (!texts.die_link_rate.empty()) {
      const auto rates = rates_of(topology, "die-link-rate", texts.die_link_rate, true);
      for (std::size_t axis = 0; axis < axes; ++axis) {
        if (rates[axis]) between[axis] = *rates[axis];
      }
    }
  }
  // The least integers in the proportions of the links that exist: multiples of the first one's.
  std::optional<LinkRate> unit;
  std::uint64_t multiple = 1;
  std::string proportions;
  std::uint64_t most = 0;
  for_each_kind(topology, periods, [&](std::size_t axis, bool is_between) {
    const LinkRate& rate = (is_between ? between : inside)[axis];
    if (!unit) unit = rate;
    const Ratio ratio = ratio_to(rate, *unit);
    if (multiple <= kMaxLinkPeriod) multiple = std::lcm(multiple, ratio.below);
    const std::string text = text_of(rate);
    if ((":" + proportions + ":").find(":" + text + ":") == std::string::npos) {
      proportions += (proportions.empty() ? "" : ":") + text;
    }
  });
  const auto period_of = [&](const LinkRate& rate) -> std::uint64_t {
    const Ratio ratio = ratio_to(rate, *unit);
    return multiple % ratio.below == 0 ? multiple / ratio.below * ratio.above : 0;
  };
  for_each_kind(topology, periods, [&](std::size_t axis, bool is_between) {
    most = std::max(most, multiple > kMaxLinkPeriod
                              ? multiple
                              : period_of((is_between ? between : inside)[axis]));
  });
  if (most > kMaxLinkPeriod) {
    throw InputError(fmt::format(
        "--{}: the rates {} need transfers of more than {} steps, the longest supported",
        !texts.die_link_rate.empty() ? "die-link-rate"
        : !texts.link_bits.empty()   ? "link-bits"
                                     : "link-rate",
        proportions, kMaxLinkPeriod));
  }
  // Where there are no links of a kind, its rate in the same unit if possible.
  const auto fill = [&](const std::vector<LinkRate>& rates, std::vector<std::uint32_t>& list) {
    for (const LinkRate& rate : rates) {
      const std::uint64_t period = period_of(rate);
      list.push_back(period >= 1 && period <= kMaxLinkPeriod ? static_cast<std::uint32_t>(period)
                                                             : 1);
    }
  };
  fill(inside, periods.inside);
  fill(between, periods.between);
  bool equal = true;
  for_each_kind(topology, periods, [&](std::size_t axis, bool is_between) {
    equal = equal && (is_between ? periods.between : periods.inside)[axis] == 1;
  });
  return equal ? topology : topology.with_link_periods(std::move(periods));
}

std::string link_rate_options(const Topology& topology) {
  const LinkPeriods& periods = topology.link_periods();
  if (periods.inside.empty()) return {};
  const auto rates = [](const std::vector<std::uint32_t>& list) {
    std::string text;
    for (std::size_t axis = 0; axis < list.size(); ++axis) {
      text += fmt::format("{}{}={}", axis == 0 ? "" : ",", axis_name(static_cast<int>(axis)),
                          text_of({1, list[axis]}));
    }
    return text;
  };
  std::string text = "--link-rate " + rates(periods.inside);
  if (!periods.chiplets.empty()) {
    text += fmt::format(" --chiplets {} --die-link-rate {}", joined(periods.chiplets, "x"),
                        rates(periods.between));
  }
  return text;
}

double transfers_per_step(const Topology& topology) {
  double rate = 0;
  for (NodeId node = 0; node < topology.nodes(); ++node) {
    for (const Port port : all_ports(topology.ports())) {
      if (topology.neighbor(node, port) != kNoNode) rate += 1.0 / topology.period(node, port);
    }
  }
  return rate;
}

std::string link_periods_text(const Topology& topology) {
  const LinkPeriods& periods = topology.link_periods();
  const auto by_axis = [](const std::vector<std::uint32_t>& list) {
    const bool same = std::all_of(list.begin(), list.end(),
                                  [&list](std::uint32_t period) { return period == list.front(); });
    if (same) return counted(list.front(), "step");
    std::string text;
    for (std::size_t axis = 0; axis < list.size(); ++axis) {
      text += fmt::format("{}{} ({})", text.empty() ? "" : ", ", list[axis],
                          axis_name(static_cast<int>(axis)));
    }
    return text + " steps";
  };
  if (periods.inside.empty()) return "links of 1 step";
  if (periods.chiplets.empty()) return fmt::format("links of {}", by_axis(periods.inside));
  return fmt::format("{} chiplets, links of {} inside, {} between", joined(periods.chiplets, "x"),
                     by_axis(periods.inside), by_axis(periods.between));
}

}  // namespace gossamer
