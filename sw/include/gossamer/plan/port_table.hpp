// SPDX-License-Identifier: Apache-2.0
/// The configuration of each output port of each router, stored once for all equal output ports.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <unordered_map>
#include <vector>

#include "gossamer/topology/topology.hpp"

namespace gossamer {

/// An entry for every output port of every node.
///
/// Large networks have few *distinct* entries, so they are kept in a dictionary, and each (node,
/// output port) holds a number. The table takes 2d bytes per node with up to 256 entries, and 4d
/// bytes with more. `Entry` is a value with `operator==` and `std::uint64_t hash() const`; a
/// default one is idle.
template <typename Entry>
class PortTable {
 public:
  static constexpr std::size_t kMostEntries = 65536;

  /// All output ports idle.
  PortTable(std::uint32_t nodes, int ports)
      : nodes_(nodes),
        ports_(ports),
        dictionary_(1),
        index_{{Entry{}.hash(), 0}},
        narrow_(std::size_t{nodes} * static_cast<std::size_t>(ports), std::uint8_t{0}) {}

  [[nodiscard]] std::uint32_t nodes() const { return nodes_; }
  [[nodiscard]] int ports() const { return ports_; }
  /// The distinct entries; number 0 is the idle one.
  [[nodiscard]] const std::vector<Entry>& dictionary() const { return dictionary_; }

  /// The number of an entry; a new entry is added. Throws std::length_error above kMostEntries.
  std::uint32_t intern(const Entry& entry) {
    const std::uint64_t hash = entry.hash();
    const auto [first, last] = index_.equal_range(hash);
    for (auto known = first; known != last; ++known) {
      if (dictionary_[known->second] == entry) return known->second;
    }
    if (dictionary_.size() == kMostEntries) {
      throw std::length_error("a program has at most 65536 distinct out-ports");
    }
    const auto number = static_cast<std::uint32_t>(dictionary_.size());
    dictionary_.push_back(entry);
    index_.emplace(hash, number);
    if (dictionary_.size() == kNarrowEntries + 1) {
      wide_.assign(narrow_.begin(), narrow_.end());
      narrow_ = {};
    }
    return number;
  }

  /// The number of an output port's entry.
  [[nodiscard]] std::uint32_t code(NodeId node, Port out_port) const {
    const std::size_t at = place(node, out_port);
    return wide_.empty() ? narrow_[at] : wide_[at];
  }
  /// Assigns the entry of that number to an output port. Throws std::out_of_range for other
  /// numbers.
  void set_code(NodeId node, Port out_port, std::uint32_t code) {
    if (code >= dictionary_.size()) throw std::out_of_range("no such dictionary entry");
    const std::size_t at = place(node, out_port);
    if (wide_.empty()) {
      narrow_[at] = static_cast<std::uint8_t>(code);
    } else {
      wide_[at] = static_cast<std::uint16_t>(code);
    }
  }
  [[nodiscard]] const Entry& at(NodeId node, Port out_port) const {
    return dictionary_[code(node, out_port)];
  }
  void set(NodeId node, Port out_port, const Entry& entry) {
    set_code(node, out_port, intern(entry));
  }

  /// Bytes held, including capacity, but without the memory that entries own.
  [[nodiscard]] std::uint64_t memory_bytes() const {
    return narrow_.capacity() + wide_.capacity() * sizeof(std::uint16_t) +
           dictionary_.capacity() * sizeof(Entry);
  }

  /// Equal entries at equal output ports; their numbering does not matter.
  bool operator==(const PortTable& other) const {
    if (nodes_ != other.nodes_ || ports_ != other.ports_) return false;
    for (NodeId node = 0; node < nodes_; ++node) {
      for (const Port port : all_ports(ports_)) {
        if (at(node, port) != other.at(node, port)) return false;
      }
    }
    return true;
  }

 private:
  static constexpr std::size_t kNarrowEntries = 256;

  [[nodiscard]] std::size_t place(NodeId node, Port out_port) const {
    return std::size_t{node} * static_cast<std::size_t>(ports_) + out_port;
  }

  std::uint32_t nodes_;
  int ports_;
  std::vector<Entry> dictionary_;
  /// Dictionary numbers by hash.
  std::unordered_multimap<std::uint64_t, std::uint32_t> index_;
  /// Numbers while the dictionary has at most 256 entries; otherwise empty.
  std::vector<std::uint8_t> narrow_;
  /// Numbers from 257 entries on; otherwise empty.
  std::vector<std::uint16_t> wide_;
};

/// Mixes a number into a hash (FNV-1a).
[[nodiscard]] constexpr std::uint64_t mixed(std::uint64_t hash, std::uint64_t value) {
  return (hash ^ value) * 0x100000001b3U;
}
inline constexpr std::uint64_t kHashStart = 0xcbf29ce484222325U;

}  // namespace gossamer
