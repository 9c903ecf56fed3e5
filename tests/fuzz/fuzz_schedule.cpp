// SPDX-License-Identifier: Apache-2.0
/// Schedules of other programs, MSCCL XML and TE-CCL JSON: they are checked without a hitch, and
/// what is written of an XML says the same when it is read again.
#include <optional>
#include <sstream>

#include "fuzz.hpp"
#include "gossamer/foreign/check.hpp"
#include "gossamer/foreign/export.hpp"
#include "gossamer/foreign/msccl.hpp"
#include "gossamer/foreign/teccl.hpp"

namespace gossamer::fuzz {
namespace {

/// The result of a check without line numbers, which differ between files.
std::string verdict(const foreign::MscclSchedule& schedule) {
  std::ostringstream text;
  const auto figure = [&](const auto& value) {
    if (value) text << *value;
    text << ' ';
  };
  const foreign::CheckResult result = foreign::check(schedule, {});
  text << (result.defect ? result.defect->kind : "correct") << ' ' << result.collective << ' '
       << result.ranks << ' ' << result.chunks << ' ';
  figure(result.depth);
  figure(result.steps);
  figure(result.link_transfers);
  figure(result.links_used);
  figure(result.queue_slots);
  return text.str();
}

void check_msccl(const std::string& text) {
  const foreign::MscclSchedule schedule = foreign::read_msccl(text, "input");
  const std::string before = verdict(schedule);
  std::ostringstream out;
  foreign::write_msccl(schedule, out);
  std::optional<foreign::MscclSchedule> again;
  try {
    again = foreign::read_msccl(out.str(), "output");
  } catch (const InputError& error) {
    fail(std::string("what we write we do not read: ") + error.what() + "\n" + out.str());
  }
  const std::string after = verdict(*again);
  require(before == after, "another verdict after a round trip: " + before + ", " + after);
}

}  // namespace
}  // namespace gossamer::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace gossamer;
  const std::string text(reinterpret_cast<const char*>(data), size);
  fuzz::accepted([&] { fuzz::check_msccl(text); });
  fuzz::accepted([&] {
    const foreign::CheckResult result = foreign::check(foreign::read_teccl(text, "input"), {});
    if (result.defect) fuzz::check_message(result.defect->text);
  });
  return 0;
}
