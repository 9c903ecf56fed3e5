// SPDX-License-Identifier: Apache-2.0
/// Readers of text files: byte order marks, unknown members, and the interpretation of other tools'
/// files.
#include <catch2/catch.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "gossamer/collectives/partial/active_nodes.hpp"
#include "gossamer/foreign/link_graph.hpp"
#include "gossamer/plan/link_latency.hpp"
#include "gossamer/plan/plan_io.hpp"
#include "gossamer/plan/topology_io.hpp"
#include "gossamer/planner/planner.hpp"
#include "gossamer/sim/stall_script.hpp"
#include "gossamer/topology/mesh_graph.hpp"
#include "gossamer/util/error.hpp"
#include "gossamer/util/input_file.hpp"
#include "program.hpp"

namespace gossamer {
namespace {

using Catch::Contains;
using Sides = std::vector<std::uint32_t>;
using foreign::LinkGraph;

class Files {
 public:
  /// The path of a new file.
  std::string operator()(const std::string& text) {
    const std::string path = directory_.file("file" + std::to_string(++count_));
    testing::write_text(path, text);
    return path;
  }

 private:
  const testing::ScratchDirectory directory_;
  int count_ = 0;
};

LinkGraph graph_of(const std::string& text) { return LinkGraph::read(Files()(text)); }

TEST_CASE("a byte order mark is skipped, and two of them are not", "[readers]") {
  Files file;
  CHECK(InputFile(file("\xef\xbb\xbfone")).text() == "one");
  CHECK(InputFile(file("\xef\xbb\xbf\xef\xbb\xbfone")).text() == "\xef\xbb\xbfone");
  CHECK(InputFile(file("one")).text() == "one");
  CHECK(InputFile(file("")).text().empty());
  CHECK(InputFile(file("\xef\xbb\xbf")).text().empty());
  CHECK_THROWS_WITH(InputFile(file("four")).text(3), Contains("has more than 3 bytes"));
  CHECK_THROWS_WITH(InputFile("/"), Contains("/: is a directory"));
  CHECK_THROWS_WITH(InputFile("no such file"), Contains("no such file: cannot be opened"));
}

TEST_CASE("every reader accepts a file with a byte order mark and line ends of Windows",
          "[readers]") {
  Files file;
  const auto marked = [&file](const std::string& text) {
    std::string windows = "\xef\xbb\xbf";
    for (const char c : text) windows += c == '\n' ? "\r\n" : std::string(1, c);
    return file(windows);
  };
  const Topology mesh = Topology::mesh(Sides{2, 2});
  CHECK(read_mesh_graph(marked("device_topology {\n dims: [2, 2] }\n")) == mesh);
  CHECK(LinkGraph::read(marked("from,to\n0,1\n1,0\n")).links() == 2);
  CHECK(LinkGraph::read(marked("router 0 node 0 router 1\nrouter 1 node 1\n")).links() == 2);
  const std::string latencies = "0 2 0 3\n2 0 0 3\n0 2 3 0\n2 0 3 0\n";
  CHECK(parse_link_latency(marked(latencies), mesh).table ==
        parse_link_latency(file(latencies), mesh).table);
  CHECK(parse_active(mesh, marked("0,1\n1,1\n"), "--active") == std::vector<NodeId>{2, 3});
  const StallScript stalls =
      StallScript::parse(marked("kind,node,port,cycle,length\ns,1,x-,3,2\n"), mesh);
  CHECK_FALSE(stalls.is_open(Gate::kOffer, 1, 0, 3));
  CHECK(stalls.is_open(Gate::kOffer, 1, 0, 5));
  const std::string faults = R"({"format": "gossamer-faults", "version": 1, "topology": "mesh",)"
                             "\n"
                             R"("dims": [2, 2], "dead_nodes": [[1, 1]]})";
  CHECK(read_faults_file(marked(faults), mesh).dead_nodes == std::vector<NodeId>{3});
  const Plan plan = make_plan({Topology::torus(Sides{3, 3}), "gossip", "", {}, {}});
  std::ostringstream text;
  write_plan(plan, text, PlanEncoding::kJson);
  CHECK(read_plan_file(marked(text.str())) == plan);
}

TEST_CASE("only the first line of a stall script may be its header", "[readers]") {
  Files file;
  const Topology torus = Topology::torus(Sides{3, 3});
  for (const char* text : {"kind,node,port,cycle\n", "# a\nkind,node,port,cycle,length\n"}) {
    INFO(text);
    CHECK_THROWS_AS(StallScript::parse(file(text), torus), InputError);
  }
}

// The grammar is that of BookSim2's class AnyNet.
TEST_CASE("a link that an anynet file states at both ends is one channel each way", "[readers]") {
  const char* const once =
      "router 0 node 0 router 1 router 2\nrouter 1 node 1 router 2\nrouter 2 node 2\n";
  const char* const twice =
      "router 0 node 0 router 1 router 2\nrouter 1 node 1 router 0 router 2\n"
      "router 2 node 2 router 0 router 1\n";
  const char* const thrice =
      "router 0 router 1 router 1 router 2 1\nrouter 1 router 2\nrouter 1 router 0 1\n";
  const char* const by_nodes =
      "node 0 router 0\nnode 1 router 1\nnode 2 router 2\nrouter 0 router 1 router 2\nrouter "
      "2\trouter 1\n";
  for (const char* text : {once, twice, thrice, by_nodes}) {
    INFO(text);
    const LinkGraph graph = graph_of(text);
    CHECK(graph.nodes() == 3);
    CHECK(graph.links() == 6);
    CHECK(graph.width(0, 1) == 1);
    CHECK(graph.width(2, 1) == 1);
    CHECK(graph.lower_bound(foreign::Collective::kAllGather, 1, 0) == 1);
  }
  // Rows of a CSV file are links.
  CHECK(graph_of("from,to\n0,1\n0,1\n1,0\n").width(0, 1) == 2);
}

TEST_CASE("nodes of an anynet file have the coordinates of the file", "[readers]") {
  const LinkGraph graph =
      graph_of("router 0 node 2 router 1\nrouter 1 node 0 router 2\nrouter 2 node 1\n");
  CHECK(graph.links() == 4);
  CHECK(graph.width(2, 0) == 1);
  CHECK(graph.width(0, 1) == 1);
  CHECK(graph.width(1, 2) == 0);
}

TEST_CASE("an anynet file with more than a graph of nodes is refused with the line", "[readers]") {
  const auto refused = [](const char* text, const char* cause) {
    INFO(text);
    CHECK_THROWS_WITH(graph_of(text), Contains(cause));
  };
  // BookSim2's own example.
  refused(
      "router 0 node 0 node 1 node 2 router 1\nrouter 1 node 3 node 4 node 5\n"
      "router 2 node 6 node 7 node 8 router 1 router 0\n",
      ":1: router 0 has the nodes 0 and 1");
  refused("router 0 router 1 15 router 2\n", ":1: latency \"15\"");
  refused("router 0 node 0 router 1\nrouter 1 node 1 5\n", ":2: latency \"5\"");
  refused("router 0 router 1 0\n", ":1: latency \"0\"");
  refused("router 0 router 1 1 1\n", ":1: \"1\": router or node is expected");
  refused("router 0 1 router 1\n", ":1: \"1\": router or node is expected");
  refused("router 0 router 1 rooter 2\n", ":1: latency \"rooter\"");
  refused("router 0 router\n", ":1: a number is missing");
  refused("router 0 router 1\nrouter 1 router 1\n", ":2: a link from 1 to itself");
  refused("router 0 node 0 router 1\nrouter 1 node 0\n", ":2: node 0 is already on router 0");
  refused("node 0 router 0 node 1\n",
          ":1: a node is connected to a node; it must be connected to a router");
  refused("router 0 node 0 router 1\nrouter 1 node 1 router 2\n", ":2: router 2 has no node");
  refused("router 0 router 1\nrouter 3 router 1\n", ":2: router 3: ");
  refused("router 0 node 0 router 1\nrouter 1 node 2\n", "there is no node 1");
  refused("# a ring\nrouter 0 router 1\n", ":1: the header from,to or a line");
}

Topology described(const std::string& text, std::string* note = nullptr) {
  return mesh_graph_topology(text, "file", note);
}

/// A descriptor with every supported field, and more text at the end of three messages.
std::string descriptor(const std::string& more_of_mesh, const std::string& more_of_graph,
                       const std::string& more) {
  return "mesh_descriptors {\n  name: \"M0\"\n  arch: BLACKHOLE\n"
         "  device_topology { dims: [ 8, 4 ], dim_types: [ RING, LINE ] }\n"
         "  host_topology { dims: [ 1, 1 ] }\n  channels { count: 2 policy: STRICT }\n" +
         more_of_mesh +
         "}\ngraph_descriptors {\n  name: \"G0\" type: \"FABRIC\"\n"
         "  instances { mesh { mesh_descriptor: \"M0\" mesh_id: 0 } }\n" +
         more_of_graph +
         "}\npinnings {\n  logical_fabric_node_id { mesh_id: 0 chip_id: 0 }\n"
         "  physical_asic_position { tray_id: 1 asic_location: 1 }\n}\n"
         "top_level_instance { graph { graph_descriptor: \"G0\" graph_id: 0 } }\n" +
         more;
}

/// Meshes of sides `mesh` in a grid of `grid`, with every connection between opposite border chips.
/// `ids` are the meshes' numbers by place; `skip` is the number of a connection to leave out.
std::string meshes(const Sides& mesh, const Sides& grid, bool rings, const Sides& ids,
                   int channels = 2, int skip = -1, const char* types = "") {
  std::string text = "mesh_descriptors {\n  name: \"M0\"\n  device_topology { dims: [ " +
                     std::to_string(mesh[0]) + ", " + std::to_string(mesh[1]) + " ]" + types +
                     " }\n  channels { count: 4 }\n}\ngraph_descriptors {\n  name: \"G0\"\n";
  for (std::size_t i = 0; i < ids.size(); ++i) {
    text += "  instances { mesh { mesh_descriptor: \"M0\" mesh_id: " + std::to_string(i) + " } }\n";
  }
  int number = 0;
  const auto chip = [&](std::uint32_t place, std::uint32_t x, std::uint32_t y) {
    return "nodes { mesh { mesh_descriptor: \"M0\" mesh_id: " + std::to_string(ids[place]) +
           " device_id: " + std::to_string(x * mesh[1] + y) + " } } ";
  };
  const auto connect = [&](const std::string& one, const std::string& other) {
    if (number++ == skip) return;
    text += "  connections { " + one + other + "channels { count: " + std::to_string(channels) +
            " } }\n";
  };
  for (std::uint32_t place = 0; place < ids.size(); ++place) {
    const std::uint32_t x = place % grid[0];
    const std::uint32_t y = place / grid[0];
    for (std::uint32_t i = 0; i < mesh[1] && (rings || x + 1 < grid[0]); ++i) {
      connect(chip(place, mesh[0] - 1, i), chip((x + 1) % grid[0] + y * grid[0], 0, i));
    }
    // The other way round, which makes no difference.
    for (std::uint32_t i = 0; i < mesh[0] && (rings || y + 1 < grid[1]); ++i) {
      connect(chip(x + (y + 1) % grid[1] * grid[0], i, 0), chip(place, i, mesh[1] - 1));
    }
  }
  return text + "}\ntop_level_instance { graph { graph_descriptor: \"G0\" graph_id: 0 } }\n";
}

TEST_CASE("meshes whose connections make them a grid are chiplets", "[readers]") {
  std::string note;
  const Topology two = described(meshes({4, 2}, {2, 1}, false, {0, 1}), &note);
  CHECK(two == Topology::mesh(Sides{8, 2}).with_link_periods({{4, 2}, {1, 1}, {2, 1}}));
  CHECK(note == "file: mesh 0 at 0,0; mesh 1 at 1,0");
  const Topology six = described(meshes({4, 2}, {2, 3}, false, {5, 4, 3, 2, 1, 0}, 1), &note);
  CHECK(six == Topology::mesh(Sides{8, 6}).with_link_periods({{4, 2}, {1, 1}, {4, 4}}));
  CHECK_THAT(note, Contains("mesh 5 at 0,0; mesh 4 at 1,0; mesh 3 at 0,1"));
  const Topology ring = described(meshes({2, 3}, {3, 2}, true, {0, 1, 2, 3, 4, 5}, 3));
  CHECK(ring.is_torus());
  CHECK(ring.sides() == Sides{6, 6});
  CHECK(ring.link_periods() == LinkPeriods{{2, 3}, {3, 3}, {4, 4}});
  // As many channels between meshes as inside: links of one rate.
  CHECK(described(meshes({4, 2}, {2, 2}, false, {0, 1, 2, 3}, 4)) == Topology::mesh(Sides{8, 4}));
  // One mesh on an axis may wrap.
  const Topology cylinder =
      described(meshes({4, 4}, {2, 1}, false, {0, 1}, 2, -1, " dim_types: [ LINE, RING ]"));
  CHECK(cylinder.wrap() == 2);
  CHECK(cylinder.sides() == Sides{8, 4});
  // Rows of chips: the first node of a connection is the lower one.
  CHECK(described(meshes({4, 1}, {2, 1}, false, {0, 1})).sides() == Sides{8, 1});
}

TEST_CASE("meshes that form no grid are refused with one line", "[readers]") {
  const auto refused = [](const std::string& text, const char* cause) {
    INFO(text);
    CHECK_THROWS_WITH(described(text), Contains("file: line ") && Contains(cause));
  };
  for (int skip = 0; skip < 8; ++skip) {
    CAPTURE(skip);
    CHECK_THROWS_AS(described(meshes({4, 2}, {2, 2}, false, {0, 1, 2, 3}, 2, skip)), InputError);
  }
  refused(meshes({4, 2}, {2, 1}, false, {0, 1}, 2, 0), "1 links between meshes along axis 0");
  refused(meshes({4, 2}, {2, 1}, false, {0, 1}, 2, -1, " dim_types: [ RING, LINE ]"),
          "RING on an axis that continues in another mesh");
  refused(meshes({4, 2}, {2, 1}, false, {0, 0}), "both chips are of the same mesh");
  const auto changed = [](const std::string& from, const std::string& to) {
    std::string text = meshes({4, 2}, {2, 1}, false, {0, 1});
    text.replace(text.find(from), from.size(), to);
    return text;
  };
  refused(changed(" device_id: 6", ""), "without device_id it is not known");
  refused(changed("device_id: 6", "device_id: 4"), "not opposite each other");
  refused(changed("device_id: 6", "device_id: 7"), "not opposite each other");
  refused(changed("device_id: 6", "device_id: 8"), "device_id 8 is outside 0..7");
  refused(changed("mesh_id: 0 device_id", "mesh_id: 7 device_id"), "mesh 7 of \"M0\" is no inst");
  refused(changed("channels { count: 2 } }\n  conn", "channels { count: 3 } }\n  conn"),
          "2 channels, others of the same axis have 3");
  refused(changed("channels { count: 2 } }\n  conn",
                  "channels { count: 2 } directional: true }\n  conn"),
          "links of one direction");
  refused(changed("channels { count: 4 }", ""), "need the channels of their meshes");
  refused(changed("connections {", "graph_topology: RING connections {"),
          "it does not say which chips are linked");
}

TEST_CASE(
    "a mesh graph descriptor is read completely: unsupported fields are refused with the line",
    "[readers]") {
  CHECK(described(descriptor("", "", "")) == Topology::grid(Sides{8, 4}, 1));
  const auto refused = [](const std::string& text, const char* cause) {
    INFO(text);
    CHECK_THROWS_WITH(described(text), Contains(cause));
  };
  refused(descriptor("  express_connections { src: 0 dst: 3 }\n", "", ""),
          "file: line 7: express_connections: ");
  refused(
      descriptor("  express_links { src: 0 }\n", "", ""),
      "file: line 7: mesh_descriptors: \"express_links\" is not supported; there is name, arch");
  refused(descriptor("", "  instances { mesh { mesh_descriptor: \"M0\" mesh_id: 1 } }\n", ""),
          "file: line 12: instances: several meshes without connections");
  refused(descriptor("", "  connections { channels { count: 8 } assign_z_direction: true }\n", ""),
          "file: line 11: connections: the graph has one mesh");
  refused(descriptor("", "  graph_topology: ALL_TO_ALL\n", ""), "line 11: graph_topology: ");
  refused(descriptor("", "", "colour: RED\n"), "line 17: \"colour\" is not supported");
  refused(descriptor("", "", "[x.y]: 1\n"), "line 17: \"[\" is no field's name");
  refused(descriptor("  name: \"M1\"\n", "", ""), "line 7: name is given twice");
  refused(descriptor("  arch { x: 1 }\n", "", ""), "line 7: arch");
  refused("mesh_descriptors { name { x: 1 } }", "name is a value, not a message");
  refused("mesh_descriptors { channels: 2 }", "channels: { is expected");
  refused("mesh_descriptors { channels { count: 0 } }", "channels: count: ");
  refused("device_topology { dims: [4, 4]\n dim_types: [RING] }",
          "file: line 2: device_topology: 1 dim_types for 2 dims");
  refused("device_topology { dims: [4] dim_types: [RING, LINE] }", "2 dim_types for 1 dims");
  refused(
      "mesh_descriptors { name: \"M0\" device_topology { dims: [4, 4] } }\n"
      "top_level_instance { mesh { mesh_descriptor: \"M1\" } }\n",
      "file: line 2: there is no mesh_descriptors with the name \"M1\"");
}

TEST_CASE("unknown members are refused in every message of a mesh graph descriptor", "[readers]") {
  const std::string text = descriptor("", "", "");
  int messages = 0;
  for (std::size_t at = text.find('{'); at != std::string::npos; at = text.find('{', at + 1)) {
    INFO(text.substr(at));
    CHECK_THROWS_AS(described(std::string(text).insert(at + 1, " zzz: 1 ")), InputError);
    ++messages;
  }
  CHECK(messages == 12);
}

TEST_CASE("channels decide the interpretation of a ring of two chips, and a note states it",
          "[readers]") {
  const auto ring = [](const std::string& channels) {
    return "mesh_descriptors { device_topology { dims: [2, 3] dim_types: [RING, RING] } " +
           channels + "}";
  };
  std::string note;
  CHECK(described(ring("channels { count: 1 } "), &note) == Topology::grid(Sides{2, 3}, 2));
  CHECK_THAT(note, Contains("file: RING on a side of 2 (x) with one channel is planned as LINE"));
  for (const char* channels : {"channels { count: 2 } ", ""}) {
    CHECK(described(ring(channels), &note) == Topology::torus(Sides{2, 3}));
    CHECK_THAT(note, Contains("(x): the plan relies on two parallel links"));
  }
  CHECK(described("device_topology { dims: [3, 2] dim_types: [RING, LINE] }", &note) ==
        Topology::grid(Sides{3, 2}, 1));
  CHECK(note.empty());
}

}  // namespace
}  // namespace gossamer
