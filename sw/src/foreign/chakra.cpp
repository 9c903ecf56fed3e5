// SPDX-License-Identifier: Apache-2.0
/// Chakra execution traces: protocol-buffer messages, each after its length.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <string>

#include "gossamer/foreign/export.hpp"
#include "gossamer/util/checked.hpp"
#include "gossamer/util/text.hpp"

namespace gossamer::foreign {

namespace {

// Fields of the schema's messages (chakra schema 0.0.4).
constexpr unsigned kMetadataVersion = 1;
constexpr unsigned kMetadataAttribute = 2;
constexpr unsigned kNodeId = 1;
constexpr unsigned kNodeName = 2;
constexpr unsigned kNodeType = 3;
constexpr unsigned kNodeDataDeps = 5;
constexpr unsigned kNodeMicroseconds = 7;
constexpr unsigned kNodeAttribute = 10;
constexpr unsigned kAttributeName = 1;
constexpr unsigned kAttributeInt32 = 7;
constexpr unsigned kAttributeInt64 = 9;
constexpr unsigned kAttributeBool = 27;
constexpr unsigned kAttributeString = 29;
// Types of nodes.
constexpr std::uint64_t kCompute = 4;
constexpr std::uint64_t kSend = 5;
constexpr std::uint64_t kReceive = 6;
constexpr std::uint64_t kCollective = 7;

/// A message under construction: fields in the order in which they are added.
class ProtoMessage {
 public:
  void varint(std::uint64_t value) {
    constexpr std::uint64_t kMore = 0x80;
    for (; value >= kMore; value >>= 7U) bytes_ += static_cast<char>(value % kMore | kMore);
    bytes_ += static_cast<char>(value);
  }
  void number(unsigned field, std::uint64_t value) {
    varint(std::uint64_t{field} << 3U);
    varint(value);
  }
  void text(unsigned field, std::string_view value) {
    varint(std::uint64_t{field} << 3U | 2U);
    varint(value.size());
    bytes_ += value;
  }
  [[nodiscard]] const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

std::string number_attribute(std::string_view name, unsigned kind, std::uint64_t value) {
  ProtoMessage attribute;
  attribute.text(kAttributeName, name);
  attribute.number(kind, value);
  return attribute.bytes();
}

std::string text_attribute(std::string_view name, std::string_view value) {
  ProtoMessage attribute;
  attribute.text(kAttributeName, name);
  attribute.text(kAttributeString, value);
  return attribute.bytes();
}

void append(std::string& file, const ProtoMessage& message) {
  ProtoMessage length;
  length.varint(message.bytes().size());
  file += length.bytes() + message.bytes();
}

/// The trace of one rank.
std::string trace_of(const MscclSchedule& schedule, std::uint32_t rank, std::uint64_t chunk_bytes) {
  ProtoMessage metadata;
  metadata.text(kMetadataAttribute, text_attribute("schema", "1.0.2-chakra.0.0.4"));
  metadata.text(kMetadataAttribute, text_attribute("collective", schedule.word));
  metadata.text(kMetadataAttribute, text_attribute("name", schedule.name));
  std::string file;
  append(file, metadata);

  // Which id a wait for a step means, by thread block and step.
  std::vector<std::vector<std::uint64_t>> ids;
  std::uint64_t next = 0;
  for (const MscclBlock& block : schedule.blocks) {
    if (block.rank != rank) continue;
    ids.resize(std::max<std::size_t>(ids.size(), block.id + 1));
    for (std::uint32_t s = 0; s < block.size; ++s) {
      if (schedule.steps[block.first_step + s].type == StepType::kReceiveReduceCopy) ++next;
      ids[block.id].push_back(next++);
    }
  }
  for (const MscclBlock& block : schedule.blocks) {
    if (block.rank != rank) continue;
    std::optional<std::uint64_t> previous;
    for (std::uint32_t s = 0; s < block.size; ++s) {
      const MscclStep& step = schedule.steps[block.first_step + s];
      if (step.type == StepType::kNop || step.type == StepType::kCopy) continue;
      ProtoMessage deps;
      const auto wait = [&](const MscclStep& waiting) {
        if (waiting.depends_block < 0) return;
        deps.varint(ids[static_cast<std::size_t>(waiting.depends_block)]
                       [static_cast<std::size_t>(waiting.depends_step)]);
      };
      wait(step);
      for (std::uint32_t before = s; before-- > 0;) {
        const MscclStep& nop = schedule.steps[block.first_step + before];
        if (nop.type != StepType::kNop) break;
        wait(nop);
      }
      if (previous) deps.varint(*previous);
      previous = ids[block.id][s];

      const bool sends = step.type == StepType::kSend;
      const bool receives =
          step.type == StepType::kReceive || step.type == StepType::kReceiveReduceCopy;
      const bool adds = step.type == StepType::kReceiveReduceCopy || step.type == StepType::kReduce;
      if (!sends && !receives && !adds) {
        throw std::invalid_argument("a fused step has no place in an exported schedule");
      }
      const std::string place = fmt::format("_NODE_tb{}_step{}", block.id, s);
      const std::uint64_t first = adds && receives ? *previous - 1 : *previous;
      const auto begin = [&](std::uint64_t id, std::string_view name, std::uint64_t type,
                             const std::string& waits) {
        ProtoMessage node;
        if (id != 0) node.number(kNodeId, id);
        node.text(kNodeName, fmt::format("{}{}", name, place));
        node.number(kNodeType, type);
        if (!waits.empty()) node.text(kNodeDataDeps, waits);
        return node;
      };
      if (sends || receives) {
        const std::uint64_t type = sends ? kSend : kReceive;
        ProtoMessage node = begin(first, sends ? "COMM_SEND" : "COMM_RECV", type, deps.bytes());
        node.text(kNodeAttribute, number_attribute("comm_type", kAttributeInt64, type));
        node.text(kNodeAttribute,
                  number_attribute("comm_size", kAttributeInt64, step.count * chunk_bytes));
        node.text(kNodeAttribute,
                  number_attribute(sends ? "comm_dst" : "comm_src", kAttributeInt32,
                                   static_cast<std::uint64_t>(sends ? block.send : block.receive)));
        node.text(kNodeAttribute, number_attribute("comm_tag", kAttributeInt32, block.channel));
        append(file, node);
      }
      if (adds) {
        ProtoMessage received;
        received.varint(first);
        append(file,
               begin(*previous, "COMP", kCompute, receives ? received.bytes() : deps.bytes()));
      }
    }
  }
  return file;
}

/// ASTRA-sim's algorithms read an all-gather's size as one rank's part, others as the whole.
std::uint64_t workload_bytes(const MscclSchedule& schedule, std::uint64_t chunk_bytes) {
  const bool is_part = schedule.collective == Collective::kAllGather;
  return checked_product("comm_size", chunk_bytes,
                         std::uint64_t{is_part ? schedule.input_chunks() : schedule.chunks});
}

}  // namespace

AstraCollective astra_collective(Collective collective) {
  switch (collective) {
    case Collective::kAllReduce:
    case Collective::kReduce:
      return {"all-reduce", 0};
    case Collective::kReduceScatter:
      return {"reduce-scatter", 7};
    case Collective::kAllToAll:
      return {"all-to-all", 6};
    case Collective::kAllGather:
    case Collective::kBroadcast:
      break;
  }
  return {"all-gather", 2};
}

std::vector<ExportedFile> collective_traces(const MscclSchedule& schedule, std::string_view name,
                                            std::uint64_t chunk_bytes) {
  std::vector<ExportedFile> files;
  for (std::uint32_t rank = 0; rank < schedule.ranks.size(); ++rank) {
    files.push_back(
        {fmt::format("{}.{}.et", name, rank), trace_of(schedule, rank, chunk_bytes), {}});
  }
  return files;
}

std::string workload_trace(std::span<const TraceNode> nodes) {
  ProtoMessage metadata;
  metadata.text(kMetadataVersion, "0.0.4");
  std::string file;
  append(file, metadata);
  for (const TraceNode& one : nodes) {
    ProtoMessage node;
    if (one.id != 0) node.number(kNodeId, one.id);
    node.text(kNodeName, one.name);
    node.number(kNodeType, one.collective ? kCollective : kCompute);
    ProtoMessage waits;
    for (const std::uint64_t before : one.after) waits.varint(before);
    if (!one.after.empty()) node.text(kNodeDataDeps, waits.bytes());
    if (one.micros != 0) node.number(kNodeMicroseconds, one.micros);
    node.text(kNodeAttribute, number_attribute("is_cpu_op", kAttributeBool, 0));
    if (one.collective) {
      node.text(kNodeAttribute,
                number_attribute("comm_type", kAttributeInt64, one.collective->type));
      node.text(kNodeAttribute, number_attribute("comm_size", kAttributeInt64, one.bytes));
    }
    if (one.group != 0) {
      node.text(kNodeAttribute, text_attribute("pg_name", std::to_string(one.group)));
    }
    append(file, node);
  }
  return file;
}

ExportedFile astra_system(std::span<const CustomCollective> collectives,
                          std::string_view per_node) {
  std::string lines;
  for (const CustomCollective& one : collectives) {
    append_format(lines, "  \"{}-implementation-custom\": [\n    \"{}\"\n  ],\n", one.key,
                  one.name);
  }
  if (!per_node.empty()) {
    append_format(lines, "  \"per-node-custom-implementation\": \"{}\",\n", per_node);
  }
  return {"system.json",
          fmt::format(R"({{
  "scheduling-policy": "FIFO",
  "preferred-dataset-splits": 1,
{}  "local-mem-bw": 50
}}
)",
                      lines),
          {}};
}

ExportedFile astra_memory() {
  return {"memory.json", "{\n  \"memory-type\": \"NO_MEMORY_EXPANSION\"\n}\n", {}};
}

ExportedFile astra_network(const Topology& topology,
                           const std::optional<PhysicalQuantities>& physical, bool one_dimension) {
  std::vector<std::uint32_t> counts{topology.nodes()};
  std::string_view block = "FullyConnected";
  ExportedFile file{"network.yml", {}, {}};
  if (topology.is_torus() && topology.is_healthy()) {
    std::vector<std::uint32_t> sides = topology.sides();
    sides.erase(std::remove(sides.begin(), sides.end(), 1U), sides.end());
    if (sides.empty()) sides.push_back(1);
    const bool has_pairs = std::find(sides.begin(), sides.end(), 2U) != sides.end();
    if (!one_dimension || sides.size() == 1) {
      block = "Ring";
      counts = std::move(sides);
    }
    if (has_pairs) {
      file.warnings.push_back(fmt::format(
          "a {} of 2 has one link between the two ranks; the plan uses two parallel ones",
          one_dimension ? "side" : block));
    }
  }
  // One of ASTRA-sim's GB is 2^30 bytes. The second pair is what its examples have.
  constexpr double kBytesPerUnit = 1U << 30U;
  const double bandwidth = physical ? static_cast<double>(physical->link_bits) / 8 *
                                          static_cast<double>(physical->hertz) / kBytesPerUnit
                                    : 50.0;
  const double latency =
      physical ? 1e9 * physical->latency / static_cast<double>(physical->hertz) : 500.0;
  const auto each = [&counts](const std::string& text) {
    return joined(std::vector<std::string>(counts.size(), text), ", ");
  };
  file.contents =
      fmt::format("topology: [ {} ]\nnpus_count: [ {} ]\nbandwidth: [ {} ]\nlatency: [ {} ]\n",
                  each(std::string(block)), joined(counts, ", "),
                  each(fmt::format("{}", bandwidth)), each(fmt::format("{}", latency)));
  return file;
}

std::vector<ExportedFile> chakra_files(const MscclSchedule& schedule, const Topology& topology,
                                       std::uint64_t chunk_bytes,
                                       const std::optional<PhysicalQuantities>& physical) {
  const AstraCollective collective = astra_collective(schedule.collective);
  const std::uint64_t bytes = workload_bytes(schedule, chunk_bytes);
  constexpr std::string_view kName = "gossamer";
  std::vector<ExportedFile> files;
  for (ExportedFile& trace : collective_traces(schedule, kName, chunk_bytes)) {
    files.push_back(std::move(trace));
    const std::uint64_t rank = files.size() / 2;
    const TraceNode node{rank, std::string(collective.key), {}, 0, collective, bytes, 0};
    files.push_back({fmt::format("workload.{}.et", rank), workload_trace(std::span(&node, 1)), {}});
  }
  const CustomCollective custom{collective.key, std::string(kName)};
  files.push_back(astra_system(std::span(&custom, 1), {}));
  files.push_back(astra_memory());
  files.push_back(astra_network(topology, physical, false));
  return files;
}

}  // namespace gossamer::foreign
