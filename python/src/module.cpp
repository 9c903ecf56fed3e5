// SPDX-License-Identifier: Apache-2.0
/// The extension module gossamer._core: the Python interface of the libraries. Users call
/// python/gossamer/__init__.py, which has types and docstrings; _core.pyi lists the contents of
/// this module.
#include <fmt/format.h>
#include <pybind11/functional.h>
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <chrono>
#include <cstring>
#include <memory>
#include <mutex>
#include <sstream>
#include <type_traits>
#include <utility>

#include "gossamer/collectives/partial/experiment_run.hpp"
#include "gossamer/compare/broadcast.hpp"
#include "gossamer/compare/gossip.hpp"
#include "gossamer/compare/physical.hpp"
#include "gossamer/compare/reductions.hpp"
#include "gossamer/emit/buildable.hpp"
#include "gossamer/emit/emit.hpp"
#include "gossamer/foreign/file.hpp"
#include "gossamer/plan/collective.hpp"
#include "gossamer/plan/machine.hpp"
#include "gossamer/plan/plan_io.hpp"
#include "gossamer/plan/run_facts.hpp"
#include "gossamer/plan/topology_io.hpp"
#include "gossamer/planner/load.hpp"
#include "gossamer/planner/planner.hpp"
#include "gossamer/report/physical.hpp"
#include "gossamer/sim/engines.hpp"
#include "gossamer/sim/run.hpp"
#include "gossamer/sim/sum_trees.hpp"
#include "gossamer/sim/sums_document.hpp"
#include "gossamer/sim/sums_of_vectors.hpp"
#include "gossamer/topology/faults.hpp"
#include "gossamer/topology/mesh_graph.hpp"
#include "gossamer/util/error.hpp"
#include "gossamer/util/input_file.hpp"
#include "gossamer/util/output_file.hpp"
#include "gossamer/util/suggest.hpp"
#include "gossamer/util/words.hpp"
#include "gossamer/verify/proof.hpp"
#include "gossamer/version.hpp"

namespace py = pybind11;

namespace gossamer::python {

namespace {

using Clock = std::chrono::steady_clock;

/// Time between two checks of Python while long work runs without its lock.
constexpr std::chrono::milliseconds kPatience{50};

/// Long work calls this from time to time, without Python's lock. It checks for Ctrl-C and calls
/// Python's `progress`. An exception in Python ends the work.
class Patience {
 public:
  explicit Patience(py::object progress)
      : progress_(std::make_shared<Kept>(std::move(progress))), last_(Clock::now()) {}

  /// True if a check is due.
  [[nodiscard]] bool over() {
    const Clock::time_point now = Clock::now();
    if (now - last_ < kPatience) return false;
    last_ = now;
    return true;
  }

  void look() const {
    const py::gil_scoped_acquire lock;
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
  }

  void operator()(std::string_view phase, std::uint64_t done, std::uint64_t total) {
    if (!over()) return;
    look();
    const py::gil_scoped_acquire lock;
    if (!progress_->object.is_none()) progress_->object(phase, done, total);
  }

 private:
  /// Python's object, released with the lock held by the last copy of this object.
  struct Kept {
    explicit Kept(py::object given) : object(std::move(given)) {}
    Kept(const Kept&) = delete;
    Kept& operator=(const Kept&) = delete;
    ~Kept() {
      const py::gil_scoped_acquire lock;
      object = py::object();
    }
    py::object object;
  };

  std::shared_ptr<Kept> progress_;
  Clock::time_point last_;
};

/// One simulation kernel per process: runs of these engines wait for each other.
std::unique_lock<std::recursive_mutex> kernel_lock(std::string_view engine) {
  static std::recursive_mutex mutex;
  if (engine == "fast") return {};
  return std::unique_lock(mutex);
}

/// Stores the rows of the trace.
class TraceTable final : public TraceObserver {
 public:
  using TraceObserver::TraceObserver;
  [[nodiscard]] std::vector<TraceRow>& rows() { return rows_; }

 private:
  void on_row(const TraceRow& row) override { rows_.push_back(row); }
  std::vector<TraceRow> rows_;
};

/// Counts the packets on each link.
class LinkLoads final : public Observer {
 public:
  explicit LinkLoads(std::uint64_t links) : loads_(links, 0) {}
  bool on_links(const LinkView& view) override {
    if (view.flit != 0) return true;
    for (std::size_t link = 0; link < view.packets.size(); ++link) {
      if (view.packets[link] != kNoPacket) ++loads_[link];
    }
    for (const Take& take : view.takes) ++loads_[take.link];
    for (const Head& head : view.heads) ++loads_[head.link];
    return true;
  }
  [[nodiscard]] std::vector<std::uint64_t>& loads() { return loads_; }

 private:
  std::vector<std::uint64_t> loads_;
};

/// Checks for Ctrl-C in a run that does not report its progress.
class Listener final : public Observer {
 public:
  explicit Listener(Patience patience) : patience_(std::move(patience)) {}
  bool on_links(const LinkView& /*view*/) override {
    if (patience_.over()) patience_.look();
    return true;
  }

 private:
  Patience patience_;
};

/// The vector as an array that owns it, without a copy.
template <typename T>
py::array_t<T> array_of(std::vector<T>&& values, std::vector<py::ssize_t> shape) {
  auto kept = std::make_unique<std::vector<T>>(std::move(values));
  T* const data = kept->data();
  const py::capsule owner(kept.get(), [](void* all) { delete static_cast<std::vector<T>*>(all); });
  static_cast<void>(kept.release());
  return py::array_t<T>(std::move(shape), data, owner);
}

/// The report's JSON and the violated properties.
py::tuple report_tuple(const Report& report) {
  return py::make_tuple(report_json(report), report.problems, report.given_up_after);
}

Plan make(const std::string& collective, const std::vector<std::uint32_t>& dims,
          const std::string& topology, const std::string& faults, const std::string& algorithm,
          const std::map<std::string, ParameterValue>& options, const py::object& progress,
          const std::map<std::string, std::string>& rates) {
  const auto rate = [&rates](const char* name) {
    const auto found = rates.find(name);
    return found == rates.end() ? std::string() : found->second;
  };
  const Topology links = with_link_rates(
      topology_named(topology, dims),
      {rate("link-rate"), rate("link-bits"), rate("chiplets"), rate("die-link-rate")});
  PlanRequest request{with_named_faults(links, faults), std::string(collective_name(collective)),
                      algorithm, options, Patience(progress)};
  const py::gil_scoped_release unlocked;
  return make_plan(request);
}

Experiment make_experiment(const std::string& collective, const std::vector<std::uint32_t>& dims,
                           const std::string& topology, const std::string& faults,
                           const std::map<std::string, ParameterValue>& options) {
  if (collective_name(collective) != Experiment::kCollective) {
    throw InputError(
        fmt::format("\"{}\" is no experiment; there is {}", collective, Experiment::kCollective));
  }
  const py::gil_scoped_release unlocked;
  return std::get<Experiment>(
      make_plan_or_experiment({with_named_faults(topology_named(topology, dims), faults),
                               std::string(Experiment::kCollective),
                               "",
                               options,
                               {}}));
}

py::tuple measure(const Experiment& experiment, const std::string& engine, bool execute,
                  const py::object& progress) {
  DynamicEngineOptions options;
  options.execute = execute;
  options.progress = Patience(progress);
  const Report report = [&] {
    const py::gil_scoped_release unlocked;
    const auto lock = kernel_lock(engine);
    return run_experiment_on(engine, experiment, {}, options);
  }();
  return report_tuple(report);
}

template <typename Document>
py::tuple prove_document(const Document& document, const py::object& progress) {
  const Progress watch = Patience(progress);
  const Report report = [&] {
    const py::gil_scoped_release unlocked;
    Report made = prove(document, watch);
    if constexpr (std::is_same_v<Document, Plan>) {
      if (made.problems.empty()) add_sums(document, made);
      made = with_buildable(std::move(made), document);
    }
    return made;
  }();
  return report_tuple(report);
}

py::tuple simulate(const Plan& plan, const std::string& engine, bool traced, bool loaded, bool fold,
                   std::optional<std::uint64_t> max_steps, std::optional<bool> judged,
                   const std::string& wave, const std::string& stall, const py::object& progress) {
  if (fold) check_foldable(plan);
  EngineOptions engine_options;
  engine_options.wave = wave;
  const Topology& torus = plan.topology;
  TraceTable trace(torus);
  LinkLoads loads(torus.link_slots());
  Listener listener{Patience(py::none())};
  ObserverList observers;
  observers.add(&listener);
  if (traced) observers.add(&trace);
  if (loaded) observers.add(&loads);
  RunOptions options;
  options.observer = &observers;
  options.fold = fold;
  options.max_steps = max_steps;
  options.judged = judged;
  options.progress = Patience(progress);
  const bool waits = run_facts(plan).stalls;
  if (max_steps && waits) {
    throw InputError("max_steps: elastic plans have cycles instead of steps");
  }
  if (!stall.empty()) {
    if (!waits) {
      throw InputError("stall: the plan's routers cannot wait; plan with elastic=True");
    }
    engine_options.stalls = StallScript::parse(stall, torus);
  }
  const Report report = [&] {
    const py::gil_scoped_release unlocked;
    const auto lock = kernel_lock(engine);
    Report made = run_on_engine(engine, plan, engine_options, options);
    trace.finish();
    return with_buildable(std::move(made), plan);
  }();
  py::object rows = py::none();
  if (traced) {
    const auto count = static_cast<py::ssize_t>(trace.rows().size());
    rows = array_of(std::move(trace.rows()), {count});
  }
  py::object counts = py::none();
  if (loaded) {
    counts = array_of(std::move(loads.loads()), {torus.nodes(), torus.ports()});
  }
  return py::make_tuple(report_tuple(report), rows, counts);
}

std::vector<std::filesystem::path> emit(const Plan& plan, const std::string& format,
                                        const std::filesystem::path& directory,
                                        const std::string& name,
                                        std::optional<std::uint64_t> chunk_bytes,
                                        std::optional<std::uint32_t> ring,
                                        const py::object& progress) {
  const Progress watch = Patience(progress);
  const py::gil_scoped_release unlocked;
  return write_files(emit_files(proved(plan, "plan", watch), format,
                                {.name = name, .chunk_bytes = chunk_bytes, .ring = ring}),
                     directory);
}

std::string compare_all_gather(const std::string& topology, const std::vector<std::uint32_t>& dims,
                               std::vector<std::string> algorithms, std::vector<double> startups,
                               const std::string& engine, const py::object& progress) {
  GossipComparisonOptions options;
  options.startups = std::move(startups);
  options.algorithms = std::move(algorithms);
  options.progress = Patience(progress);
  if (!engine.empty()) {
    options.measure = [&engine](const Plan& plan) {
      const auto lock = kernel_lock(engine);
      return run_on_engine(engine, plan, {}, {.judged = true}).steps;
    };
  }
  const py::gil_scoped_release unlocked;
  return comparison_json(compare_gossip(topology_named(topology, dims), options));
}

std::string compare_broadcasts(const std::string& topology, const std::vector<std::uint32_t>& dims,
                               std::vector<std::string> algorithms, NodeId source,
                               std::uint32_t flits, std::uint32_t hop_cycles,
                               std::uint32_t relay_cycles, const std::string& engine,
                               const py::object& progress) {
  BroadcastComparisonOptions options;
  options.source = source;
  options.clock.flits = flits;
  options.clock.hop_cycles = hop_cycles;
  options.clock.relay_cycles = relay_cycles;
  options.algorithms = std::move(algorithms);
  options.progress = Patience(progress);
  options.run = [&engine](const Plan& plan) {
    const auto lock = kernel_lock(engine);
    return run_on_engine(engine, plan, {}, {});
  };
  const py::gil_scoped_release unlocked;
  return comparison_json(compare_broadcast(topology_named(topology, dims), options));
}

std::string compare_reduced(const std::string& collective, const std::string& topology,
                            const std::vector<std::uint32_t>& dims,
                            const std::vector<std::string>& algorithms,
                            const std::map<std::string, ParameterValue>& options) {
  const py::gil_scoped_release unlocked;
  return comparison_json(
      compare_reductions(topology_named(topology, dims), collective, options, algorithms));
}

/// `wormhole`: parameters of the conventional network by name, with defaults; without it only plans
/// are compared.
std::string compare_bytes(const std::string& collective, const std::string& topology,
                          const std::vector<std::uint32_t>& dims,
                          std::vector<std::string> algorithms, NodeId source,
                          const std::map<std::string, ParameterValue>& message,
                          const std::optional<std::map<std::string, std::uint32_t>>& wormhole,
                          const py::object& progress) {
  const Topology network = topology_named(topology, dims);
  PhysicalComparisonOptions options;
  options.quantities = parse_message(message, network).value();
  options.algorithms = std::move(algorithms);
  options.source = source;
  options.conventional = wormhole.has_value();
  options.progress = Patience(progress);
  const std::map<std::string, std::uint32_t*> numbers{
      {"vcs", &options.router.channels},
      {"buffer", &options.router.buffer},
      {"payload", &options.messages.packet_payload},
      {"message_cycles", &options.messages.start_up}};
  if (wormhole) {
    for (const auto& [name, value] : *wormhole) *numbers.at(name) = value;
  }
  const py::gil_scoped_release unlocked;
  return comparison_json(
      compare_physical(network, std::string(collective_name(collective)), options));
}

/// Identifies the contents of a schedule from another program. Rejects other files.
std::string schedule_hash(const std::string& path) {
  const std::string text = InputFile(path).text();
  static_cast<void>(foreign::schedule_format(text, path));
  // FNV-1a.
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const char c : text) hash = (hash ^ static_cast<std::uint8_t>(c)) * 0x100000001b3U;
  return fmt::format("{:016x}", hash);
}

/// The plan converted from such a schedule; if the conversion fails, "failed" or "infeasible", and
/// the reason.
py::tuple convert_schedule(const std::string& path, const std::vector<std::uint32_t>& dims,
                           const std::string& topology) {
  foreign::ConvertedFile file = [&] {
    const py::gil_scoped_release unlocked;
    return foreign::convert_file(InputFile(path).text(), path, topology_named(topology, dims));
  }();
  if (const auto& defect = file.result.defect) {
    return py::make_tuple(
        py::none(), "failed",
        fmt::format("{}:{}: {}: {}", path, defect->line, defect->kind, defect->text));
  }
  if (!file.conversion.plan) {
    return py::make_tuple(
        py::none(), "infeasible",
        fmt::format("{}: cannot become a plan: {}", path, file.conversion.reason));
  }
  return py::make_tuple(*std::move(file.conversion.plan), "done", "");
}

/// Name and sides of the network in a mesh graph descriptor.
py::tuple network_in_file(const std::filesystem::path& path) {
  std::string note;
  const Topology topology = read_mesh_graph(path, &note);
  if (!note.empty() && PyErr_WarnEx(PyExc_UserWarning, note.c_str(), 1) != 0) {
    throw py::error_already_set();
  }
  return py::make_tuple(topology_name(topology), topology.sides());
}

void write(const Plan& plan, std::ostream& out, PlanEncoding encoding) {
  write_plan(plan, out, encoding);
}
void write(const Experiment& experiment, std::ostream& out, PlanEncoding encoding) {
  write_experiment(experiment, out, encoding);
}

template <typename Document>
py::bytes encoded(const Document& document, PlanEncoding encoding) {
  std::ostringstream text;
  write(document, text, encoding);
  return py::bytes(text.str());
}

template <typename Document>
void save(const Document& document, const std::filesystem::path& path) {
  const py::gil_scoped_release unlocked;
  OutputFile file(path.string());
  write(document, file.stream(), encoding_for(path));
  file.commit();
}

void write_file(const std::filesystem::path& path, const std::string& text) {
  OutputFile file(path);
  file.stream() << text;
  file.commit();
}

Plan load(const std::filesystem::path& path) {
  const py::gil_scoped_release unlocked;
  return load_plan(path);
}

Plan from_bytes(const std::string& document) {
  std::istringstream text(document);
  return read_plan(text, "<bytes>");
}

Experiment load_experiment(const std::filesystem::path& path) {
  const py::gil_scoped_release unlocked;
  PlanOrExperiment document = load_plan_or_experiment(path);
  if (auto* experiment = std::get_if<Experiment>(&document)) return std::move(*experiment);
  throw InputError(fmt::format("{}: holds a plan; Plan.load reads it", path.string()));
}

/// By node and out-port, the node that a link leads to; -1 beyond the border of a mesh.
py::array_t<std::int64_t> neighbors(const Plan& plan) {
  const Topology& topology = plan.topology;
  std::vector<std::int64_t> ends;
  ends.reserve(topology.link_slots());
  for (NodeId node = 0; node < topology.nodes(); ++node) {
    for (const Port port : all_ports(topology.ports())) {
      const NodeId end = topology.neighbor(node, port);
      ends.push_back(end == kNoNode ? -1 : std::int64_t{end});
    }
  }
  return array_of(std::move(ends), {topology.nodes(), topology.ports()});
}

/// The summation trees of a plan, which it keeps.
class Sums {
 public:
  explicit Sums(const Plan& plan) : plan_(std::make_shared<const Plan>(plan)) {
    if (const std::string defect = SumTrees::defect(plan); !defect.empty()) {
      throw InputError("sums: " + defect);
    }
    const py::gil_scoped_release unlocked;
    static_cast<void>(proved(plan, "sums", {}));
    trees_ = std::make_shared<const SumTrees>(*plan_);
    if (trees_->problem()) throw InputError("sums: " + *trees_->problem());
  }

  [[nodiscard]] const Plan& plan() const { return *plan_; }
  [[nodiscard]] const SumTrees& trees() const { return *trees_; }
  [[nodiscard]] SumFigures figures() const {
    SumFigures figures;
    figures.type = word_type_name(plan_->demand.type);
    figures.accumulate = word_type_name(plan_->demand.accumulate);
    figures.length_invariant = trees_->length_invariant();
    figures.period = trees_->period();
    add_tree_figures(*trees_, figures);
    return figures;
  }
  [[nodiscard]] std::uint32_t tree_of(std::uint64_t word) const {
    if (word < trees_->elements()) return trees_->tree_of(word);
    throw py::index_error(fmt::format("word {} of {}", word, trees_->elements()));
  }

  /// Nested tuples of node numbers.
  [[nodiscard]] py::object tree(std::uint64_t word) const {
    std::vector<py::object> sums;
    const auto operand = [&](std::uint32_t of) -> py::object {
      return of < trees_->nodes() ? py::int_(of) : sums[of - trees_->nodes()];
    };
    for (const TreeAddition& sum : trees_->additions(tree_of(word))) {
      sums.push_back(py::make_tuple(operand(sum.a), operand(sum.b)));
    }
    return sums.back();
  }
  [[nodiscard]] std::string digest(std::optional<std::uint64_t> word) const {
    return hex_text(word ? trees_->digest(tree_of(*word)) : trees_->digest_of_all());
  }

  /// The sums of an array of nodes and words, of the array's type.
  [[nodiscard]] py::array evaluate(const py::array& vectors) const {
    const py::array rows = py::array::ensure(vectors, py::array::c_style);
    if (rows.ndim() != 2) {
      throw InputError(fmt::format(
          "sums: the array has {} dimensions; two dimensions are expected, nodes and words",
          rows.ndim()));
    }
    // NumPy 2 moved the field that itemsize() of older pybind11 reads.
    const auto bytes = rows.attr("itemsize").cast<std::size_t>();
    NpyArray array{fmt::format("{}{}", rows.dtype().kind(), bytes),
                   static_cast<std::uint64_t>(rows.shape(0)),
                   static_cast<std::uint64_t>(rows.shape(1)),
                   {}};
    if (bytes > sizeof(std::uint64_t)) throw InputError("sums: dtype " + array.type);
    // The words of ml_dtypes are of a kind of their own.
    if (py::str(rows.dtype().attr("name")).cast<std::string>() == "bfloat16") array.type = "V2";
    array.words.resize(static_cast<std::size_t>(rows.size()));
    const auto* data = static_cast<const std::uint8_t*>(rows.data());
    for (std::size_t i = 0; i < array.words.size(); ++i) {
      std::memcpy(&array.words[i], data + i * bytes, bytes);
    }
    const std::vector<std::uint64_t> sums = [&] {
      const py::gil_scoped_release unlocked;
      return sums_of_vectors(*plan_, *trees_, array, "sums");
    }();
    // Strides are given, since pybind11 would take them from the same field.
    py::array result(rows.dtype(), std::vector<py::ssize_t>{static_cast<py::ssize_t>(sums.size())},
                     std::vector<py::ssize_t>{static_cast<py::ssize_t>(bytes)});
    auto* out = static_cast<std::uint8_t*>(result.mutable_data());
    for (std::size_t i = 0; i < sums.size(); ++i) std::memcpy(out + i * bytes, &sums[i], bytes);
    return result;
  }

 private:
  std::shared_ptr<const Plan> plan_;
  std::shared_ptr<const SumTrees> trees_;
};

void add_sums_class(py::module_& module) {
  const auto figure = [](auto SumFigures::*member) {
    return [member](const Sums& sums) { return sums.figures().*member; };
  };
  py::class_<Sums>(module, "Sums")
      .def("tree", &Sums::tree, py::arg("word"))
      .def(
          "text",
          [](const Sums& sums, std::uint64_t word) {
            return sums.trees().text(sums.tree_of(word));
          },
          py::arg("word"))
      .def("digest", &Sums::digest, py::arg("word") = py::none())
      .def("evaluate", &Sums::evaluate, py::arg("vectors"))
      .def("to_json", [](const Sums& sums) { return sums_document(sums.plan(), sums.trees()); })
      .def_property_readonly("words", [](const Sums& sums) { return sums.trees().elements(); })
      .def_property_readonly("type", figure(&SumFigures::type))
      .def_property_readonly("accumulate", figure(&SumFigures::accumulate))
      .def_property_readonly("trees", figure(&SumFigures::trees))
      .def_property_readonly("depth", figure(&SumFigures::depth))
      .def_property_readonly("same_at_every_node", figure(&SumFigures::same_at_every_node))
      .def_property_readonly("length_invariant", figure(&SumFigures::length_invariant))
      .def_property_readonly("period", figure(&SumFigures::period));
}

std::vector<std::string> strings(const std::vector<std::string_view>& words) {
  return {words.begin(), words.end()};
}

/// Attributes that plans and experiments share.
template <typename Document>
py::class_<Document> document_class(py::module_& module, const char* name) {
  return py::class_<Document>(module, name)
      .def("save", &save<Document>, py::arg("path"))
      .def("to_json", [](const Document& one) { return encoded(one, PlanEncoding::kJson); })
      .def("to_cbor", [](const Document& one) { return encoded(one, PlanEncoding::kCbor); })
      .def_readonly("parameters", &Document::parameters)
      .def_property_readonly("topology",
                             [](const Document& one) { return std::string(one.topology.kind()); })
      .def_property_readonly(
          "dims", [](const Document& one) { return py::tuple(py::cast(one.topology.sides())); })
      .def_property_readonly("nodes", [](const Document& one) { return one.topology.nodes(); })
      .def_property_readonly("ports", [](const Document& one) { return one.topology.ports(); })
      .def_property_readonly(
          "hash", [](const Document& one) { return fmt::format("{:016x}", plan_hash(one)); })
      .def("__eq__", [](const Document& one, const py::object& other) {
        return py::isinstance<Document>(other) && one == other.cast<const Document&>();
      });
}

void add_documents(py::module_& module) {
  document_class<Experiment>(module, "Experiment")
      .def_static("load", &load_experiment, py::arg("path"))
      .def_property_readonly("collective",
                             [](const Experiment&) { return Experiment::kCollective; });
  document_class<Plan>(module, "Plan")
      .def_static("load", &load, py::arg("path"))
      .def_static("from_bytes", &from_bytes, py::arg("document"))
      .def_readonly("collective", &Plan::collective)
      .def_readonly("algorithm", &Plan::algorithm)
      .def_property_readonly("packets_per_node", &packets_per_node)
      .def_property_readonly("machine",
                             [](const Plan& plan) { return std::string(plan.machine().name()); })
      .def_property_readonly("engines",
                             [](const Plan& plan) { return strings(engines_of(plan.machine())); })
      .def_property_readonly("formats", [](const Plan& plan) { return strings(formats_of(plan)); })
      .def_property_readonly("analytic_steps",
                             [](const Plan& plan) { return plan.expected.analytic_steps; })
      .def_property_readonly("lower_bound_steps",
                             [](const Plan& plan) { return plan.expected.lower_bound_steps; })
      .def("neighbors", &neighbors)
      .def("sums", [](const Plan& plan) { return Sums(plan); });
}

void add_exceptions(py::module_& module) {
  static py::exception<std::runtime_error> error(module, "Error");
  static py::exception<InputError> input(
      module, "InputError",
      py::reinterpret_steal<py::object>(PyTuple_Pack(2, error.ptr(), PyExc_ValueError)));
  static py::exception<InfeasibleError> infeasible(
      module, "InfeasibleError",
      py::reinterpret_steal<py::object>(PyTuple_Pack(2, error.ptr(), PyExc_ValueError)));
  py::register_exception_translator([](std::exception_ptr thrown) {
    try {
      if (thrown) std::rethrow_exception(thrown);
    } catch (const InputError& bad) {
      PyErr_SetString(input.ptr(), bad.what());
    } catch (const InfeasibleError& bad) {
      PyErr_SetString(infeasible.ptr(), bad.what());
    }
  });
}

/// The available choices: rows of text.
py::list algorithm_rows() {
  py::list rows;
  for (const Algorithm& algorithm : algorithms()) {
    rows.append(py::make_tuple(algorithm.collective, algorithm.name, algorithm.summary,
                               algorithm.guarantee, strings(words_of(algorithm.options)),
                               algorithm.plan != nullptr));
  }
  return rows;
}

py::list collective_rows() {
  py::list rows;
  for (const Collective& collective : collectives()) {
    rows.append(py::make_tuple(collective.name, collective.field_name, collective.summary));
  }
  return rows;
}

/// The options of plan: name, "flag", "number" or "text", and whether every algorithm has it since
/// it describes the message.
py::list option_rows() {
  static constexpr const char* kKinds[] = {"flag", "number", "text"};
  py::list rows;
  for (const OptionSpec& option : plan_options()) {
    rows.append(py::make_tuple(option.name, kKinds[static_cast<int>(option.kind)],
                               is_message_option(option.name)));
  }
  return rows;
}

py::list engine_rows() {
  py::list rows;
  for (const EngineInfo& engine : engines()) {
    rows.append(py::make_tuple(engine.name, engine.summary));
  }
  return rows;
}

py::list format_rows() {
  py::list rows;
  for (const EmitFormat& format : emit_formats()) {
    rows.append(py::make_tuple(format.name, format.description));
  }
  return rows;
}

}  // namespace

}  // namespace gossamer::python

PYBIND11_MODULE(_core, module) {
  using namespace gossamer::python;
  PYBIND11_NUMPY_DTYPE_EX(gossamer::TraceRow, step, "step", hop, "hop", from, "from", port, "port",
                          packet, "packet", terms, "terms", flit, "flit", member, "member");
  module.attr("__version__") = gossamer::kVersion;
  add_exceptions(module);
  add_sums_class(module);
  add_documents(module);
  module.def("make_plan", &make, py::arg("collective"), py::arg("dims"), py::arg("topology"),
             py::arg("faults"), py::arg("algorithm"), py::arg("options"), py::arg("progress"),
             py::arg("rates") = std::map<std::string, std::string>());
  module.def("make_experiment", &make_experiment, py::arg("collective"), py::arg("dims"),
             py::arg("topology"), py::arg("faults"), py::arg("options"));
  module.def("measure", &measure, py::arg("experiment"), py::arg("engine"), py::arg("execute"),
             py::arg("progress"));
  module.def("prove", &prove_document<gossamer::Plan>, py::arg("plan"), py::arg("progress"));
  module.def("prove", &prove_document<gossamer::Experiment>, py::arg("plan"), py::arg("progress"));
  module.def("simulate", &simulate, py::arg("plan"), py::arg("engine"), py::arg("trace"),
             py::arg("link_loads"), py::arg("fold"), py::arg("max_steps"), py::arg("judged"),
             py::arg("wave"), py::arg("stall"), py::arg("progress"));
  module.def("emit", &emit, py::arg("plan"), py::arg("format"), py::arg("directory"),
             py::arg("name"), py::arg("chunk_bytes"), py::arg("ring"), py::arg("progress"));
  module.def("compare_all_gather", &compare_all_gather, py::arg("topology"), py::arg("dims"),
             py::arg("algorithms"), py::arg("startups"), py::arg("engine"), py::arg("progress"));
  module.def("compare_broadcasts", &compare_broadcasts, py::arg("topology"), py::arg("dims"),
             py::arg("algorithms"), py::arg("source"), py::arg("flits"), py::arg("hop_cycles"),
             py::arg("relay_cycles"), py::arg("engine"), py::arg("progress"));
  module.def("compare_reductions", &compare_reduced, py::arg("collective"), py::arg("topology"),
             py::arg("dims"), py::arg("algorithms"), py::arg("options"));
  module.def("compare_bytes", &compare_bytes, py::arg("collective"), py::arg("topology"),
             py::arg("dims"), py::arg("algorithms"), py::arg("source"), py::arg("message"),
             py::arg("wormhole"), py::arg("progress"));
  module.def("network_in_file", &network_in_file, py::arg("path"));
  module.def("schedule_hash", &schedule_hash, py::arg("path"));
  module.def("convert_schedule", &convert_schedule, py::arg("path"), py::arg("dims"),
             py::arg("topology"));
  module.def(
      "require_collective",
      [](const std::string& name) {
        gossamer::require_collective(name);
        return std::string(gossamer::collective_name(name));
      },
      py::arg("name"));
  module.def(
      "require_topology",
      [](const std::string& name, std::size_t dimensions) {
        static_cast<void>(
            gossamer::topology_named(name, std::vector<std::uint32_t>(dimensions, 3)));
      },
      py::arg("name"), py::arg("dimensions"));
  module.def(
      "did_you_mean",
      [](const std::string& word, const std::vector<std::string_view>& known) {
        return gossamer::did_you_mean(word, known);
      },
      py::arg("word"), py::arg("known"));
  module.def("write_file", &write_file, py::arg("path"), py::arg("text"));
  module.def("plan_options", &option_rows);
  module.def("algorithms", &algorithm_rows);
  module.def("collectives", &collective_rows);
  module.def("engines", &engine_rows);
  module.def("formats", &format_rows);
}
