// SPDX-License-Identifier: Apache-2.0
#include "shape_options.hpp"

#include <fmt/format.h>

#include "gossamer/plan/topology_io.hpp"
#include "gossamer/topology/mesh_graph.hpp"
#include "gossamer/util/error.hpp"
#include "request_words.hpp"

namespace gossamer::cli {

namespace {

Topology shape_as_told(const ShapeArguments& arguments) {
  if (!arguments.topology_file.empty()) {
    if (!arguments.dims.empty() || !arguments.topology.empty() || !arguments.wrap.empty()) {
      throw InputError(
          "--topology-file: excludes --dims, --topology and --wrap, which also define the network");
    }
    std::string note;
    Topology topology = read_mesh_graph(arguments.topology_file, &note);
    if (!note.empty()) fmt::print(stderr, "gossamer: {}\n", note);
    return topology;
  }
  if (arguments.dims.empty()) throw InputError("--dims is required, e.g. --dims 16x8");
  const std::vector<std::uint32_t> sides = parse_dims(arguments.dims);
  if (arguments.wrap.empty()) {
    return Topology::make(arguments.topology.empty() ? arguments.standard : arguments.topology,
                          sides);
  }
  if (!arguments.topology.empty()) {
    throw InputError("--wrap: excludes --topology, which also defines the dimensions that wrap");
  }
  return topology_named("wrap-" + arguments.wrap, sides);
}

/// The same; a document's `dims`, `topology` and `wrap` are options here.
Topology healthy_shape(const ShapeArguments& arguments) {
  try {
    return shape_as_told(arguments);
  } catch (const InputError& error) {
    const std::string_view cause = error.what();
    const bool of_options = cause.starts_with("dims: ") || cause.starts_with("topology: ") ||
                            cause.starts_with("wrap: ");
    throw InputError((of_options ? "--" : "") + std::string(cause));
  }
}

}  // namespace

void add_sides_options(Command& command, ShapeArguments& arguments, const std::string& group) {
  const auto add = [&](const char* name, std::string& text, const std::string& help,
                       const char* type) {
    Option* option = command.add_option(name, text, help)->type_name(type);
    if (!group.empty()) option->group(group);
  };
  add("--dims", arguments.dims,
      "Sides, dimension 0 (x) first, e.g. 16x16; required unless --topology-file is given",
      "AxB[xC..]");
  add("--topology", arguments.topology,
      fmt::format("torus or mesh; default {}", arguments.standard), "KIND");
  add("--wrap", arguments.wrap, "Dimensions that wrap, instead of --topology, e.g. x,z: a cylinder",
      "X[,Y..]");
  add("--topology-file", arguments.topology_file,
      "Mesh graph descriptor (textproto) instead of --dims, --topology and --wrap", "FILE");
}

void add_shape_options(Command& command, ShapeArguments& arguments) {
  add_sides_options(command, arguments);
  const auto fault = [&command](const char* name, std::vector<std::string>& list, const char* help,
                                const char* type) {
    command.add_option(name, list, help)->type_name(type)->repeatable()->group("Faults");
  };
  fault("--dead-link", arguments.dead_links, "Dead link, both directions, e.g. 3,4:x+; repeatable",
        "X,Y:PORT");
  fault("--dead-arc", arguments.dead_arcs,
        "Dead direction of a link, e.g. 3,4:x+ from node 3,4 by port x+; repeatable", "X,Y:PORT");
  fault("--dead-node", arguments.dead_nodes, "Node with a dead router, e.g. 2,2; repeatable",
        "X,Y");
  fault("--dead-core", arguments.dead_cores,
        "Node that only forwards, e.g. 2,2: its core is dead; repeatable", "X,Y");
  fault("--harvest", arguments.harvests,
        "Dead nodes: a coordinate, e.g. x=3, or a box, 3,3-4,4; repeatable", "x=N|BOX");
  command
      .add_option("--faults", arguments.faults_file,
                  "Faults from a file, gossamer-faults JSON, as gossamer diagnose writes it")
      ->type_name("FILE")
      ->group("Faults");
}

void add_link_rate_options(Command& command, ShapeArguments& arguments) {
  const auto rate = [&command](const char* name, std::string& text, const char* help,
                               const char* type) {
    command.add_option(name, text, help)->type_name(type)->group("Links of different rates");
  };
  rate("--link-rate", arguments.rates.link_rate,
       "Packets per step on the links of an axis, e.g. x=1,y=1/4; default 1", "AXIS=RATE[,..]");
  rate("--chiplets", arguments.rates.chiplets, "Sides of a chiplet, e.g. 4x4; default: one chiplet",
       "AxB[xC..]");
  rate("--die-link-rate", arguments.rates.die_link_rate,
       "Packets per step on links between chiplets, e.g. 1/4 or x=1/4,y=1/2; default: the axis' "
       "rate",
       "RATE");
}

Topology shape_of(const ShapeArguments& arguments) {
  const Topology shape = healthy_shape(arguments);
  if (!shape.has_equal_links() && !arguments.rates.empty()) {
    throw InputError(
        "--topology-file: its meshes define the rates of links; without --link-rate, --chiplets "
        "and --die-link-rate");
  }
  const Topology topology = with_link_rates(shape, arguments.rates);
  Faults faults;
  if (!arguments.faults_file.empty()) faults = read_faults_file(arguments.faults_file, topology);
  for (const std::string& text : arguments.dead_links) {
    const LinkId arc = parse_arc(topology, text, "--dead-link");
    faults.dead_arcs.push_back(arc);
    faults.dead_arcs.push_back(reverse_arc(topology, arc));
  }
  for (const std::string& text : arguments.dead_arcs) {
    faults.dead_arcs.push_back(parse_arc(topology, text, "--dead-arc"));
  }
  for (const std::string& text : arguments.dead_nodes) {
    faults.dead_nodes.push_back(parse_node(topology, text, "--dead-node"));
  }
  for (const std::string& text : arguments.dead_cores) {
    faults.dead_cores.push_back(parse_node(topology, text, "--dead-core"));
  }
  for (const std::string& text : arguments.harvests) add_harvest(topology, text, faults);
  return faults.empty() ? topology : topology.with_faults(std::move(faults));
}

}  // namespace gossamer::cli
