// SPDX-License-Identifier: Apache-2.0
/// Ports of a router: their numbers, names and sets.
///
/// Port 2*dim is the negative direction of dimension dim, port 2*dim + 1 the positive one. Output
/// port p leads to the neighbour in direction p, which receives on its input port p ^ 1. By name:
/// x- x+ y- y+ z- z+ w- w+ d4- d4+ ... (contract: "Coordinates").
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gossamer {

/// A port number, 0 .. 2d-1.
using Port = std::uint8_t;

/// The largest number of dimensions of a topology.
inline constexpr int kMaxDimensions = 8;
/// The largest number of ports of a router.
inline constexpr int kMaxPorts = 2 * kMaxDimensions;

/// The port at the other end of a link: output port p of one node is input port opposite(p) of the
/// next.
[[nodiscard]] constexpr Port opposite(Port port) { return static_cast<Port>(port ^ 1U); }
/// The dimension that a port's link runs along.
[[nodiscard]] constexpr int dimension_of(Port port) { return port / 2; }
/// True for the positive direction of the port's dimension.
[[nodiscard]] constexpr bool is_positive(Port port) { return (port & 1U) != 0; }
/// The port of dimension `dim` in positive or negative direction.
[[nodiscard]] constexpr Port make_port(int dim, bool positive) {
  return static_cast<Port>(2 * dim + (positive ? 1 : 0));
}

/// Dimensions in some order; entries from a topology's number of them on are unused.
using DimensionOrder = std::array<std::uint8_t, kMaxDimensions>;

/// 0, 1, 2, ...
[[nodiscard]] constexpr DimensionOrder ascending_order() {
  DimensionOrder order{};
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<std::uint8_t>(i);
  return order;
}

/// "x-", "x+", ..., "w+", "d4-", ...
[[nodiscard]] std::string port_name(Port port);
/// The inverse of port_name; empty when `name` is not a port of a `dimensions`-dimensional router.
[[nodiscard]] std::optional<Port> port_from_name(std::string_view name, int dimensions);

/// A set of ports, one bit per port. Iterates in ascending order.
class PortSet {
 public:
  constexpr PortSet() = default;
  explicit constexpr PortSet(std::uint16_t bits) : bits_(bits) {}
  /// The set that holds only `port`.
  [[nodiscard]] static constexpr PortSet of(Port port) {
    return PortSet(static_cast<std::uint16_t>(1U << port));
  }

  [[nodiscard]] constexpr bool contains(Port port) const { return ((bits_ >> port) & 1U) != 0; }
  [[nodiscard]] constexpr bool empty() const { return bits_ == 0; }
  [[nodiscard]] constexpr int size() const { return std::popcount(bits_); }
  /// At least two ports. Faster than size() on processors without a population count instruction.
  [[nodiscard]] constexpr bool has_several() const { return (bits_ & (bits_ - 1U)) != 0; }
  /// The lowest port of a non-empty set.
  [[nodiscard]] constexpr Port front() const { return static_cast<Port>(std::countr_zero(bits_)); }
  [[nodiscard]] constexpr std::uint16_t bits() const { return bits_; }
  constexpr void insert(Port port) { bits_ = static_cast<std::uint16_t>(bits_ | (1U << port)); }
  constexpr void erase(Port port) { bits_ = static_cast<std::uint16_t>(bits_ & ~(1U << port)); }

  class Iterator {
   public:
    explicit constexpr Iterator(std::uint16_t bits) : bits_(bits) {}
    constexpr Port operator*() const { return static_cast<Port>(std::countr_zero(bits_)); }
    constexpr Iterator& operator++() {
      bits_ = static_cast<std::uint16_t>(bits_ & (bits_ - 1U));
      return *this;
    }
    constexpr bool operator==(const Iterator&) const = default;

   private:
    std::uint16_t bits_;
  };
  [[nodiscard]] constexpr Iterator begin() const { return Iterator(bits_); }
  [[nodiscard]] constexpr Iterator end() const { return Iterator(0); }

  constexpr bool operator==(const PortSet&) const = default;

 private:
  std::uint16_t bits_ = 0;
};

/// Ports 0 .. count - 1: all ports of a router with `count` ports, at most kMaxPorts.
[[nodiscard]] constexpr PortSet all_ports(int count) {
  return PortSet(static_cast<std::uint16_t>((1U << count) - 1));
}

}  // namespace gossamer
