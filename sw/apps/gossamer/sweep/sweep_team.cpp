// SPDX-License-Identifier: Apache-2.0
#include "sweep_team.hpp"

// The C interface alone.
#define OMPI_SKIP_MPICXX 1
#include <fmt/format.h>
#include <mpi.h>
#include <unistd.h>

#include <limits>
#include <stdexcept>

#include "gossamer/util/error.hpp"
#include "gossamer/version.hpp"

namespace gossamer::cli {

namespace {

/// What a message is; members begin every exchange.
enum Tag : int {
  /// To process 0: nothing measured yet; the member's version of the program.
  kReady = 1,
  /// To process 0: a result text.
  kResult,
  /// To a member: a job's key.
  kJob,
  /// To a member: there is no more.
  kHome
};

struct Message {
  int from = 0;
  int tag = 0;
  std::string text;
};

Message receive(int from) {
  MPI_Status status;
  // A waiting receive would keep a core busy; jobs last longer than this pause.
  for (int there = 0;;) {
    MPI_Iprobe(from, MPI_ANY_TAG, MPI_COMM_WORLD, &there, &status);
    if (there != 0) break;
    usleep(1000);
  }
  int size = 0;
  MPI_Get_count(&status, MPI_CHAR, &size);
  Message message{status.MPI_SOURCE, status.MPI_TAG,
                  std::string(static_cast<std::size_t>(size), '\0')};
  MPI_Recv(message.text.data(), size, MPI_CHAR, message.from, message.tag, MPI_COMM_WORLD,
           MPI_STATUS_IGNORE);
  return message;
}

void send(int to, int tag, const std::string& text) {
  if (text.size() > static_cast<std::size_t>(std::numeric_limits<int>::max())) {
    throw std::runtime_error("sweep: a result is too long for a message");
  }
  MPI_Send(text.data(), static_cast<int>(text.size()), MPI_CHAR, to, tag, MPI_COMM_WORLD);
}

}  // namespace

SweepTeam::SweepTeam() {
  if (!started_by_mpirun()) return;
  MPI_Init(nullptr, nullptr);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  MPI_Comm_size(MPI_COMM_WORLD, &size_);
  if (rank_ == 0) at_work_ = size_ - 1;
}

SweepTeam::~SweepTeam() {
  int started = 0;
  MPI_Initialized(&started);
  if (started == 0) return;
  for (; at_work_ > 0; --at_work_) send(receive(MPI_ANY_SOURCE).from, kHome, {});
  MPI_Finalize();
}

std::size_t SweepTeam::run(const std::vector<const SweepJob*>& jobs,
                           const std::function<bool(const SweepJob&, const std::string&)>& keep,
                           const Progress& progress) {
  std::map<int, const SweepJob*> handed_out;
  auto next = jobs.begin();
  std::size_t lost = 0;
  std::size_t done = 0;
  while (done < jobs.size()) {
    if (at_work_ == 0) throw InputError("sweep: no process has this version of the program");
    const Message message = receive(MPI_ANY_SOURCE);
    if (message.tag == kReady && message.text != kVersion) {
      fmt::print(stderr, "gossamer: sweep: process {} is version {}, not {}: it gets no jobs\n",
                 message.from, message.text, kVersion);
      send(message.from, kHome, {});
      --at_work_;
      continue;
    }
    // Answered before the result is kept, so that the member does not wait for the disk.
    const SweepJob* measured = message.tag == kResult ? handed_out.at(message.from) : nullptr;
    if (next != jobs.end()) {
      handed_out[message.from] = *next;
      send(message.from, kJob, (*next++)->key());
    } else {
      send(message.from, kHome, {});
      --at_work_;
    }
    if (measured == nullptr) continue;
    if (!keep(*measured, message.text)) ++lost;
    ++done;
    if (progress) progress("sweep", done, jobs.size());
  }
  return lost;
}

void SweepTeam::serve(const std::function<std::string(const SweepJob&)>& measure) {
  send(0, kReady, kVersion);
  for (Message message = receive(0); message.tag == kJob; message = receive(0)) {
    std::string text;
    try {
      text = measure(SweepJob::from_key(message.text));
    } catch (const std::exception& error) {
      fmt::print(stderr, "gossamer: {}\n", error.what());
    }
    send(0, kResult, text);
  }
}

}  // namespace gossamer::cli
