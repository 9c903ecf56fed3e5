// SPDX-License-Identifier: Apache-2.0
/// gossamer sweep: complete, the same whatever the number of cores, and proof against kill -9.
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <chrono>
#include <csignal>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <thread>

#include "program.hpp"

namespace gossamer::testing {
namespace {

ProgramResult gossamer(const ScratchDirectory& directory, const std::string& arguments) {
  return run_command(directory, std::string("'") + GOSSAMER_PROGRAM + "' " + arguments);
}

/// 240 jobs: 20 sizes, 3 packet counts, 4 ways.
constexpr const char* kSpec = R"(runs:
  - collective: gossip
    topology: torus
    dims: {dimensions: 2, from: 3, to: 22}
    algorithm: hamiltonian
    engine: [proof, fast]
    options: {packets: [1, 2, 4]}
  - collective: gossip
    topology: mesh
    dims: [{dimensions: 2, from: 3, to: 22}]
    algorithm: [array]
    engine: [proof, fast]
    options: {packets: [1, 2, 4]}
)";
constexpr std::size_t kJobs = 240;

/// The rows of an export, by request, without what is measured in seconds.
std::map<std::string, nlohmann::json> rows(const ScratchDirectory& directory,
                                           const std::string& results, bool with_times) {
  REQUIRE(gossamer(directory, "sweep -o " + results + " --export rows.json").status == 0);
  std::map<std::string, nlohmann::json> found;
  for (auto& row : nlohmann::json::parse(file_text(directory.file("rows.json")))) {
    if (!with_times && !row["report"].is_null()) {
      row["report"].erase("wall_seconds");
      row["report"].erase("router_cycles_per_second");
    }
    const std::string key = row["request"].dump();
    REQUIRE(found.emplace(key, row).second);
  }
  return found;
}

/// Starts the sweep in a process group of its own and kills all of it after a while. Returns false
/// when the sweep had ended by itself before.
bool run_and_kill(const ScratchDirectory& directory, std::chrono::microseconds after) {
  const pid_t process = fork();
  REQUIRE(process >= 0);
  if (process == 0) {
    setpgid(0, 0);
    const int silence = open("/dev/null", O_WRONLY);
    dup2(silence, STDOUT_FILENO);
    if (chdir(directory.path().c_str()) != 0) _exit(1);
    execl(GOSSAMER_PROGRAM, GOSSAMER_PROGRAM, "sweep", "spec.yaml", "-o", "r.sqlite", nullptr);
    _exit(127);
  }
  // Here too: the child may not have come so far when the pause is over.
  setpgid(process, process);
  std::this_thread::sleep_for(after);
  kill(-process, SIGKILL);
  int status = 0;
  REQUIRE(waitpid(process, &status, 0) == process);
  if (WIFEXITED(status)) REQUIRE(WEXITSTATUS(status) == 0);
  return WIFSIGNALED(status);
}

TEST_CASE("a sweep that is killed at any moment loses nothing and repeats nothing",
          "[cli][sweep][slow]") {
  const ScratchDirectory directory;
  write_text(directory.file("spec.yaml"), kSpec);
  REQUIRE(gossamer(directory, "sweep spec.yaml -o undisturbed.sqlite").status == 0);
  const auto expected = rows(directory, "undisturbed.sqlite", false);
  REQUIRE(expected.size() == kJobs);

  std::map<std::string, nlohmann::json> before;
  std::size_t kills = 0;
  std::size_t partial = 0;
  // The pauses sweep over the start, the creation of the file, and the work.
  for (std::chrono::microseconds pause{200}; kills < 400; pause += std::chrono::microseconds{700}) {
    const bool killed = run_and_kill(directory, pause);
    if (!std::filesystem::exists(directory.file("r.sqlite"))) continue;
    const auto after = rows(directory, "r.sqlite", true);
    // What was there is there, with the very times that were measured then.
    for (const auto& [key, row] : before) {
      REQUIRE(after.contains(key));
      REQUIRE(after.at(key) == row);
    }
    if (after.size() > 0 && after.size() < kJobs) ++partial;
    before = after;
    if (!killed) break;
    ++kills;
    if (after.size() == kJobs) break;
  }
  CHECK(kills >= 5);
  CHECK(partial >= 2);
  const ProgramResult last = gossamer(directory, "sweep spec.yaml -o r.sqlite");
  REQUIRE(last.status == 0);
  CHECK_THAT(last.out,
             Catch::Contains("measured before   " + std::to_string(before.size()) + "\n"));
  CHECK(rows(directory, "r.sqlite", false) == expected);
  // A sweep that is through leaves one file.
  CHECK(!std::filesystem::exists(directory.file("r.sqlite-wal")));
}

TEST_CASE("a second sweep into the same results is refused while the first one measures",
          "[cli][sweep]") {
  const ScratchDirectory directory;
  // A job of seconds, and one that would be done at once.
  write_text(directory.file("long.yaml"),
             "runs:\n  - {collective: gossip, dims: 200x200, engine: systemc}\n");
  write_text(directory.file("short.yaml"), "runs:\n  - {collective: gossip, dims: 4x4}\n");
  const std::string program = std::string("'") + GOSSAMER_PROGRAM + "' ";
  const ProgramResult both = run_command(
      directory, program +
                     "sweep long.yaml -o r.sqlite >first.txt 2>&1 & first=$!; "
                     "until ls r.sqlite-wal 2>/dev/null; do sleep 0.01; done; " +
                     program + "sweep short.yaml -o r.sqlite; echo status $?; " + program +
                     "sweep -o r.sqlite --export - >exported.csv; echo status $?; "
                     "kill -KILL $first; wait $first; " +
                     program + "sweep short.yaml -o r.sqlite; echo status $?");
  INFO(both.out << both.err);
  CHECK_THAT(both.err, Catch::Contains("gossamer: r.sqlite: another sweep is measuring into it"));
  // Refused; read all the same; taken over when the first one is gone.
  const std::size_t refused = both.out.find("status 2");
  REQUIRE(refused != std::string::npos);
  const std::size_t exported = both.out.find("status 0", refused);
  REQUIRE(exported != std::string::npos);
  CHECK(both.out.find("status 0", exported + 1) != std::string::npos);
  CHECK(rows(directory, "r.sqlite", false).size() == 1);
}

TEST_CASE("a sweep gives the same rows on one core and on many", "[cli][sweep]") {
  const ScratchDirectory directory;
  write_text(directory.file("spec.yaml"), kSpec);
  REQUIRE(gossamer(directory, "sweep spec.yaml -o one.sqlite -j 1").status == 0);
  REQUIRE(gossamer(directory, "sweep spec.yaml -o many.sqlite -j 7").status == 0);
  CHECK(rows(directory, "one.sqlite", false) == rows(directory, "many.sqlite", false));
}

/// The program as `processes` processes of one mpirun, whoever runs the test on however few cores.
ProgramResult gossamer_under_mpirun(const ScratchDirectory& directory, int processes,
                                    const std::string& arguments) {
  return run_command(directory,
                     // Open MPI's plug-ins leak, and are gone when a sanitizer asks who it was.
                     "LSAN_OPTIONS=detect_leaks=0 "
                     "OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 mpirun "
                     "--oversubscribe -n " +
                         std::to_string(processes) + " '" + GOSSAMER_PROGRAM + "' " + arguments);
}

TEST_CASE("a sweep under mpirun gives the same rows as without", "[cli][sweep][mpi]") {
  const ScratchDirectory directory;
  write_text(directory.file("spec.yaml"), R"(runs:
  - {collective: gossip, dims: {dimensions: 2, from: 3, to: 9}, algorithm: [hamiltonian, zigzag], engine: [proof, fast, systemc, rtl], options: {packets: [1, 2]}}
  - {collective: broadcast, topology: mesh, dims: 8x8, engine: fast, options: {source: ["0,0", "3,4"]}}
  - {collective: dynamic-broadcast, dims: 4x4, engine: fast, options: {load: [0.1, 0.2], broadcasts: 5000, skip-last: [true, false]}}
)");
  REQUIRE(gossamer(directory, "sweep spec.yaml -o plain.sqlite").status == 0);
  const auto expected = rows(directory, "plain.sqlite", false);
  REQUIRE(expected.size() == 7 * 2 * 4 * 2 + 2 + 4);

  const ProgramResult three =
      gossamer_under_mpirun(directory, 3, "sweep spec.yaml -o three.sqlite");
  INFO(three.err);
  REQUIRE(three.status == 0);
  CHECK_THAT(three.out, Catch::Contains("measured now      118\n"));
  CHECK(rows(directory, "three.sqlite", false) == expected);

  // Going on where there is nothing left to do, and alone.
  const ProgramResult again =
      gossamer_under_mpirun(directory, 3, "sweep spec.yaml -o three.sqlite");
  CHECK(again.status == 0);
  CHECK_THAT(again.out, Catch::Contains("measured before   118\n"));
  CHECK(gossamer_under_mpirun(directory, 1, "sweep spec.yaml -o one.sqlite").status == 0);
  CHECK(rows(directory, "one.sqlite", false) == expected);

  // More processes than jobs, and errors: nobody is left waiting.
  write_text(directory.file("small.yaml"), "runs:\n  - {collective: gossip, dims: 4x4}\n");
  CHECK(gossamer_under_mpirun(directory, 4, "sweep small.yaml -o small.sqlite").status == 0);
  const ProgramResult refused =
      gossamer_under_mpirun(directory, 3, "sweep none.yaml -o none.sqlite");
  CHECK(refused.status == 2);
  CHECK_THAT(refused.err, Catch::Contains("none.yaml: cannot be read"));
  CHECK(!std::filesystem::exists(directory.file("none.sqlite")));
}

TEST_CASE("a sweep's row holds the report and where it comes from", "[cli][sweep]") {
  const ScratchDirectory directory;
  write_text(directory.file("spec.yaml"), R"(runs:
  - {collective: gossip, dims: [8x8, 2x5], algorithm: hamiltonian, engine: [proof, fast, systemc, rtl]}
  - {collective: broadcast, topology: mesh, dims: 8x8, engine: fast, options: {source: ["0,0", "3,4"]}}
)");
  const ProgramResult run = gossamer(directory, "sweep spec.yaml -o r.sqlite --export r.csv");
  REQUIRE(run.status == 0);
  CHECK_THAT(run.out, Catch::Contains("infeasible          4\n"));
  REQUIRE(gossamer(directory, "plan gossip --dims 8x8 --algorithm hamiltonian -o p.json").status ==
          0);
  const auto all = rows(directory, "r.sqlite", true);
  REQUIRE(all.size() == 10);
  std::size_t matched = 0;
  for (const auto& [key, row] : all) {
    CHECK(row["request"]["gossamer"].get<std::string>().starts_with("0."));
    CHECK(!row["host"].get<std::string>().empty());
    CHECK(!row["machine"].get<std::string>().empty());
    if (row["request"]["collective"] != "gossip") continue;
    if (row["status"] == "infeasible") {
      CHECK_THAT(row["message"].get<std::string>(), Catch::Contains("nearest feasible"));
      CHECK(row["report"].is_null());
      continue;
    }
    CHECK(row["status"] == "done");
    CHECK(row["report"]["steps"] == 32);
    CHECK(row["report"]["engine"] == row["request"]["engine"]);
    const ProgramResult planned =
        gossamer(directory, "plan gossip --dims 8x8 --algorithm hamiltonian -o p.json");
    CHECK_THAT(planned.out, Catch::Contains(row["plan_hash"].get<std::string>()));
    ++matched;
  }
  CHECK(matched == 4);

  // The CSV export: a header, ten rows, steps of the broadcast from the corner as simulated alone.
  std::istringstream csv(file_text(directory.file("r.csv")));
  std::string line;
  std::size_t lines = 0;
  while (std::getline(csv, line)) ++lines;
  CHECK(lines == 11);
  CHECK_THAT(file_text(directory.file("r.csv")),
             Catch::StartsWith("collective,topology,dims,algorithm,options,engine,status,") &&
                 Catch::Contains("\"{\"\"source\"\":\"\"3,4\"\"}\""));
  CHECK(gossamer(directory, "sweep -o r.sqlite --export -").out ==
        file_text(directory.file("r.csv")));
}

TEST_CASE("a sweep runs elastic plans under stall scripts", "[cli][sweep]") {
  const ScratchDirectory directory;
  write_text(directory.file("spec.yaml"), R"(runs:
  - collective: gossip
    dims: 4x4
    engine: [fast, systemc]
    options: {elastic: true, flits: 4, link-latency: ["1", "2"]}
    stall: [none, "random:1:192,192,192"]
  - {collective: gossip, dims: 4x4, stall: "random:1:192,192,192"}
)");
  REQUIRE(gossamer(directory, "sweep spec.yaml -o r.sqlite").status == 0);
  const auto all = rows(directory, "r.sqlite", true);
  REQUIRE(all.size() == 9);
  std::map<std::string, std::set<int>> cycles;
  for (const auto& [key, row] : all) {
    if (row["request"]["engine"] == "proof") {
      CHECK(row["status"] == "refused");
      continue;
    }
    CHECK(row["status"] == "done");
    const bool stalls = row["request"].contains("stall");
    cycles[row["request"]["options"]["link-latency"].get<std::string>() + (stalls ? " stalls" : "")]
        .insert(row["report"]["cycles"].get<int>());
  }
  // One number from both engines.
  CHECK(cycles["1"] == std::set<int>{32});
  CHECK(cycles["1 stalls"] == std::set<int>{89});
  CHECK(cycles["2"] == std::set<int>{33});
  CHECK(cycles["2 stalls"].size() == 1);
}

TEST_CASE("a sweep's wrong description is refused with file, line and cause", "[cli][sweep]") {
  const auto refused = [](const std::string& spec, const std::string& part) {
    const ScratchDirectory directory;
    write_text(directory.file("spec.yaml"), spec);
    const ProgramResult result = gossamer(directory, "sweep spec.yaml -o r.sqlite");
    INFO(spec << "\n" << result.err);
    CHECK(result.status == 2);
    CHECK(std::count(result.err.begin(), result.err.end(), '\n') == 1);
    CHECK_THAT(result.err, Catch::StartsWith("gossamer: ") && Catch::Contains(part));
    CHECK(directory.entries() == 1);
  };
  refused("", "spec.yaml: line 1");
  refused("runs: [", "spec.yaml: line");
  refused("jobs: []", "unknown key \"jobs\"");
  refused("runs: 3", "a list `runs`");
  refused("runs:\n  - {collective: gossip}", "line 2: `dims` is missing");
  refused("runs:\n  - {collective: gossip, dims: 4x4, topology-file: m}",
          "line 2: `topology-file` says what `dims` and `topology` would say again");
  refused("runs:\n  - {collective: gossip, topology-file: m}", "line 2: m: cannot be opened");
  refused("runs: []", "the list `runs` is empty");
  refused("topology: torus", "unknown key \"topology\"; there is runs");
  refused("runs:\n  - {dims: 4x4}", "`collective` is missing");
  refused("runs:\n  - {collective: gosip, dims: 4x4}",
          "line 2: collective: \"gosip\" is unknown (did you mean gossip?)");
  refused("runs:\n  - {collective: gossip, dims: 4y4}", "4y4");
  refused("runs:\n  - {collective: gossip, dims: []}", "the list is empty");
  refused("runs:\n  - {collective: gossip, dims: 4x4, topology: ring}", "neither torus nor mesh");
  refused("runs:\n  - {collective: gossip, dims: 4x4, engine: warp}", "engine \"warp\"");
  refused("runs:\n  - {collective: gossip, dims: 4x4, algorithm: none}", "\"none\"");
  refused("runs:\n  - {collective: gossip, dims: 4x4, color: red}", "unknown key \"color\"");
  refused("runs:\n  - {collective: gossip, dim: 4x4}", "unknown key \"dim\" (did you mean dims?)");
  refused("runs:\n  - {collective: gossip, dims: 4x4, algorithm: zigzak}",
          "algorithm \"zigzak\" (did you mean zigzag?)");
  refused("runs:\n  - {collective: gossip, dims: 4x4, engine: fsat}", "(did you mean fast?)");
  refused("runs:\n  - {collective: gossip, dims: 4x4, options: {packet: 2}}",
          "option \"packet\" is unknown (did you mean packets?)");
  refused("runs:\n  - {collective: gossip, dims: {dimensions: 2, from: 8, to: 4}}",
          "line 2: the range is empty: `from` 8 is above `to` 4");
  refused("runs:\n  - collective: gossip\n    dims: [4, 4]",
          "line 3: the sides of one network, or rings? The sides are 4x4, the rings [[4], [4]]");
  refused("runs:\n  - collective: gossip\n    dims: 4x4\n    options: {packets: two}",
          "line 4: --packets");
  refused("runs:\n  - collective: gossip\n    dims: 4x4\n    options: {hop-cycles: 3}",
          "takes no option hop-cycles");
  refused("runs:\n  - {collective: gossip, dims: {dimensions: 2, from: 0, to: 3}}", "`from`");
  refused(
      "runs:\n  - collective: gossip\n    dims: {dimensions: 2, from: 1, to: 65535}\n"
      "    engine: [proof, fast]\n    options: {packets: [1,2,3,4,5,6,7,8,9,10]}",
      "more than 1000000 jobs");
  // Short files that stand for the same a great many times.
  std::string ones = "1";
  for (int i = 1; i < 2000; ++i) ones += ",1";
  refused("runs:\n  - {collective: broadcast, dims: 4x4, options: {flits: [" + ones +
              "], hop-cycles: [" + ones + "], relay-cycles: [" + ones + "]}}",
          "more than 1000000 jobs");
  std::string ranges = "{dimensions: 8, from: 1, to: 65535}";
  for (int i = 1; i < 200; ++i) ranges += ", {dimensions: 8, from: 1, to: 65535}";
  refused("runs:\n  - {collective: gossip, dims: [" + ranges + "]}", "more than 1000000 jobs");
  const ScratchDirectory directory;
  write_text(directory.file("spec.yaml"), kSpec);
  CHECK(gossamer(directory, "sweep -o r.sqlite").status == 2);
  CHECK(gossamer(directory, "sweep none.yaml -o r.sqlite").status == 2);
  CHECK(gossamer(directory, "sweep -o none.sqlite --export r.csv").status == 2);
  CHECK(directory.entries() == 1);
}

TEST_CASE("sides may be a list, also where it says rings", "[cli][sweep]") {
  const ScratchDirectory directory;
  write_text(directory.file("s.yaml"),
             "runs:\n  - {collective: gossip, dims: [[4, 4], [5], 6x6], algorithm: hamiltonian}\n");
  REQUIRE(gossamer(directory, "sweep s.yaml -o r.sqlite").status == 0);
  std::set<nlohmann::json> sides;
  for (const auto& [key, row] : rows(directory, "r.sqlite", false)) {
    sides.insert(row["request"]["dims"]);
  }
  CHECK(sides == std::set<nlohmann::json>{{4, 4}, {5}, {6, 6}});
}

TEST_CASE("a sweep's networks may be those of mesh graph descriptors", "[cli][sweep]") {
  const ScratchDirectory directory;
  write_text(directory.file("a.textproto"),
             "device_topology { dims: [8, 4] dim_types: [RING, LINE] }");
  write_text(directory.file("b.textproto"),
             "device_topology { dims: [2, 3] dim_types: [RING, RING] }");
  write_text(directory.file("files.yaml"),
             "runs: [{collective: gossip, topology-file: [a.textproto, b.textproto]}]\n");
  write_text(directory.file("names.yaml"),
             "runs: [{collective: gossip, topology: wrap-x, dims: 8x4}, "
             "{collective: gossip, dims: 2x3}]\n");
  REQUIRE(gossamer(directory, "sweep files.yaml -o files.sqlite").status == 0);
  REQUIRE(gossamer(directory, "sweep names.yaml -o names.sqlite").status == 0);
  CHECK(rows(directory, "files.sqlite", false) == rows(directory, "names.sqlite", false));
}

TEST_CASE("a sweep takes the field's names, as the command line does", "[cli][sweep]") {
  const ScratchDirectory directory;
  write_text(directory.file("gossip.yaml"), "runs: [{collective: gossip, dims: 4x4}]\n");
  write_text(directory.file("all-gather.yaml"), "runs: [{collective: all-gather, dims: 4x4}]\n");
  REQUIRE(gossamer(directory, "sweep gossip.yaml -o gossip.sqlite").status == 0);
  REQUIRE(gossamer(directory, "sweep all-gather.yaml -o all-gather.sqlite").status == 0);
  CHECK(rows(directory, "all-gather.sqlite", false) == rows(directory, "gossip.sqlite", false));
}

TEST_CASE("a sweep leaves other files alone", "[cli][sweep]") {
  const ScratchDirectory directory;
  write_text(directory.file("spec.yaml"), kSpec);
  write_text(directory.file("letter.txt"), "Dear Sir or Madam, this is a file of another kind.\n");
  CHECK(gossamer(directory, "sweep spec.yaml -o letter.txt").status == 2);
  CHECK_THAT(file_text(directory.file("letter.txt")), Catch::StartsWith("Dear"));
  REQUIRE(run_command(directory,
                      "/usr/bin/python3 -c \"import sqlite3; c = sqlite3.connect('other.sqlite'); "
                      "c.execute('create table t (x)'); c.commit()\"")
              .status == 0);
  const std::string other = file_text(directory.file("other.sqlite"));
  const ProgramResult result = gossamer(directory, "sweep spec.yaml -o other.sqlite");
  CHECK(result.status == 2);
  CHECK_THAT(result.err, Catch::Contains("no results of gossamer sweep"));
  CHECK(file_text(directory.file("other.sqlite")) == other);
}

}  // namespace
}  // namespace gossamer::testing
