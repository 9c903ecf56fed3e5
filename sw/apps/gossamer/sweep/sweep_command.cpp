// SPDX-License-Identifier: Apache-2.0
/// gossamer sweep: many requests, every core, a database that survives anything.
///
/// Every job runs in a process of its own: SystemC elaborates once a process, a job that runs out
/// of memory takes nothing else along, and all of its memory is returned. The parent alone owns the
/// database. Under mpirun process 0 does, and the others are parents of one job at a time.
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>

#include "commands.hpp"
#include "gossamer/util/error.hpp"
#include "gossamer/util/output_file.hpp"
#include "sweep_job.hpp"
#include "sweep_spec.hpp"
#include "sweep_store.hpp"
#include "sweep_team.hpp"
#include "terminal.hpp"

namespace gossamer::cli {

namespace {

struct SweepArguments {
  std::string spec;
  std::string output;
  std::string export_file;
  unsigned jobs = 0;
  bool json = false;
};

/// A process at work on one job.
struct Worker {
  pid_t process = 0;
  const SweepJob* job = nullptr;
  /// What it has told so far.
  std::string told;
};

/// The child's whole life: one job, its result into the pipe.
[[noreturn]] void work(const SweepJob& job, int pipe_end, pid_t parent) {
  // When the parent is killed, nobody wants the result any more.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(kInternalError);
  int status = kInternalError;
  try {
    const std::string text = to_text(run_job(job));
    std::size_t written = 0;
    while (written < text.size()) {
      const ssize_t more = write(pipe_end, text.data() + written, text.size() - written);
      if (more < 0) _exit(kInternalError);
      written += static_cast<std::size_t>(more);
    }
    status = kDone;
  } catch (const std::exception& error) {
    fmt::print(stderr, "gossamer: {}: {}\n", job.key(), error.what());
  }
  _exit(status);
}

[[noreturn]] void cannot(const char* call) {
  throw std::runtime_error(fmt::format("{}: {}", call, std::strerror(errno)));
}

/// Starts a worker on the job; returns the end of the pipe that it tells its result into.
int start_worker(const SweepJob& job, Worker& worker) {
  std::array<int, 2> ends{};
  const pid_t parent = getpid();
  if (pipe(ends.data()) != 0) cannot("pipe");
  const pid_t process = fork();
  if (process < 0) cannot("fork");
  if (process == 0) {
    close(ends[0]);
    work(job, ends[1], parent);
  }
  close(ends[1]);
  worker = {process, &job, {}};
  return ends[0];
}

/// Takes in what a worker tells; true when it has told everything.
bool listen(int end, Worker& worker) {
  std::array<char, 4096> bytes{};
  const ssize_t size = read(end, bytes.data(), bytes.size());
  if (size > 0) worker.told.append(bytes.data(), static_cast<std::size_t>(size));
  return size <= 0;
}

/// The result of a worker that has told everything; none, with the cause on standard error, when it
/// ended before it was through.
std::optional<SweepResult> finish(int end, const Worker& worker) {
  close(end);
  int status = 0;
  while (waitpid(worker.process, &status, 0) < 0 && errno == EINTR) {
  }
  auto result = from_text(worker.told);
  if (!result) {
    fmt::print(stderr, "gossamer: no result, {}: {}\n",
               WIFSIGNALED(status) ? fmt::format("ended by signal {}", WTERMSIG(status))
                                   : fmt::format("exit status {}", WEXITSTATUS(status)),
               worker.job->key());
  }
  return result;
}

/// A member of a team: one job in a process of its own, its result as text.
std::string measure_apart(const SweepJob& job) {
  Worker worker;
  const int end = start_worker(job, worker);
  while (!listen(end, worker)) {
  }
  const auto result = finish(end, worker);
  return result ? to_text(*result) : std::string();
}

class Pool {
 public:
  Pool(SweepStore& store, unsigned size) : store_(store), size_(size) {}

  /// Runs all jobs; returns how many ended without a result.
  std::size_t run(const std::vector<const SweepJob*>& jobs, const Progress& progress) {
    std::size_t lost = 0;
    std::size_t done = 0;
    auto next = jobs.begin();
    while (next != jobs.end() || !workers_.empty()) {
      while (next != jobs.end() && workers_.size() < size_) {
        Worker worker;
        const int end = start_worker(**next++, worker);
        workers_[end] = worker;
      }
      for (const int ready : wait_for_news()) {
        if (!listen(ready, workers_.at(ready))) continue;
        const Worker worker = workers_.at(ready);
        workers_.erase(ready);
        if (const auto result = finish(ready, worker)) {
          store_.add(*worker.job, *result);
        } else {
          ++lost;
        }
        if (progress) progress("sweep", ++done, jobs.size());
      }
    }
    return lost;
  }

 private:
  [[nodiscard]] std::vector<int> wait_for_news() const {
    std::vector<pollfd> polled;
    for (const auto& [end, worker] : workers_) polled.push_back({end, POLLIN, 0});
    if (poll(polled.data(), polled.size(), -1) < 0 && errno != EINTR) cannot("poll");
    std::vector<int> ready;
    for (const pollfd& one : polled) {
      if (one.revents != 0) ready.push_back(one.fd);
    }
    return ready;
  }

  SweepStore& store_;
  unsigned size_;
  /// By the pipe that each one's result comes from.
  std::map<int, Worker> workers_;
};

/// What a sweep came to, as a table or JSON: the names are the same.
using Summary = std::vector<std::pair<const char*, std::size_t>>;

nlohmann::ordered_json as_json(const Summary& summary) {
  nlohmann::ordered_json json;
  for (const auto& [name, number] : summary) {
    std::string key = name;
    key.erase(0, key.find_first_not_of(' '));
    std::replace(key.begin(), key.end(), ' ', '_');
    json[key] = number;
  }
  return json;
}

std::string as_text(const Summary& summary) {
  std::vector<std::vector<std::string>> rows;
  for (const auto& [name, number] : summary) rows.push_back({name, std::to_string(number)});
  return aligned(rows);
}

/// Runs what is missing, and tells in `summary` what there is then. Returns the exit status.
int run_sweep(const std::vector<SweepJob>& jobs, const SweepArguments& arguments, SweepStore& store,
              SweepTeam& team, Summary& summary) {
  const auto there = store.statuses();
  std::vector<const SweepJob*> missing;
  for (const SweepJob& job : jobs) {
    if (!there.contains(job.key())) missing.push_back(&job);
  }
  std::size_t lost = 0;
  if (team.has_members()) {
    const auto keep = [&store](const SweepJob& job, const std::string& text) {
      const auto result = from_text(text);
      if (result) store.add(job, *result);
      return result.has_value();
    };
    lost = team.run(missing, keep, progress_bar());
  } else {
    const unsigned cores = std::max(1U, std::thread::hardware_concurrency());
    lost = Pool(store, arguments.jobs == 0 ? cores : arguments.jobs).run(missing, progress_bar());
  }

  const auto now = store.statuses();
  std::map<std::string, std::size_t> count;
  for (const SweepJob& job : jobs) {
    if (const auto row = now.find(job.key()); row != now.end()) ++count[row->second];
  }
  summary = {{"jobs", jobs.size()},
             {"  measured before", jobs.size() - missing.size()},
             {"  measured now", missing.size() - lost},
             {"  without a result", lost}};
  for (const char* status : {"done", "failed", "infeasible", "refused"}) {
    summary.emplace_back(status, count[status]);
  }
  return lost == 0 && count["failed"] == 0 ? kDone : kCheckFailed;
}

int run(const SweepArguments& arguments) {
  if (arguments.spec.empty() && arguments.export_file.empty()) {
    throw InputError("sweep: give a SPEC to run, or --export to write what is there");
  }
  if (arguments.json && arguments.export_file == "-") {
    throw InputError("--export and --json: only one of them can have standard output");
  }
  SweepTeam team;
  if (team.is_member()) {
    team.serve(measure_apart);
    return kDone;
  }
  // A wrong description leaves no file behind.
  std::vector<SweepJob> jobs;
  if (!arguments.spec.empty()) jobs = read_sweep_spec(arguments.spec);
  SweepStore store(arguments.output, !arguments.spec.empty());
  int status = kDone;
  Summary summary;
  if (!arguments.spec.empty()) status = run_sweep(jobs, arguments, store, team, summary);
  if (!arguments.export_file.empty()) {
    OutputFile file(arguments.export_file);
    if (arguments.export_file.ends_with(".json")) {
      store.write_json(file.stream());
    } else {
      store.write_csv(file.stream());
    }
    file.commit();
  }
  if (arguments.json) {
    nlohmann::ordered_json document = as_json(summary);
    document["results"] = arguments.output;
    document["export"] = nullptr;
    if (!arguments.export_file.empty()) document["export"] = arguments.export_file;
    print_json(document);
  } else if (arguments.export_file != "-") {
    fmt::print("{}", as_text(summary));
  }
  return status;
}

}  // namespace

void add_sweep_command(Command& app, Action& action) {
  auto arguments = std::make_shared<SweepArguments>();
  Command* command = app.add_subcommand(
      "sweep", "Measure many requests on every core; goes on where it was stopped");
  command->add_option("spec", arguments->spec, "What to measure, YAML (docs/sweep.md)")
      ->type_name("SPEC");
  command
      ->add_option("-o,--output", arguments->output,
                   "Results, SQLite; rows that are there are not measured again")
      ->required()
      ->type_name("RESULTS");
  command
      ->add_option("--export", arguments->export_file,
                   "Write all results as CSV, or as JSON when it ends in .json; - prints CSV")
      ->type_name("FILE");
  command
      ->add_option("-j,--jobs", arguments->jobs,
                   "Jobs at the same time; default one for each core; mpirun -n decides instead")
      ->range(1, 4096)
      ->type_name("N");
  add_json_flag(*command, arguments->json);
  command->footer(
      "Example: gossamer sweep sweep.yaml -o results.sqlite --export results.csv\n"
      "On several machines: mpirun -n 9 gossamer sweep sweep.yaml -o results.sqlite: the first "
      "process\n"
      "keeps the results, the others measure one job at a time each.\n"
      "Exit status 1: a check of some job failed, or a job ended without a result; start again to\n"
      "repeat those without.\n");
  command->callback([arguments, &action] { action = [arguments] { return run(*arguments); }; });
}

}  // namespace gossamer::cli
