// SPDX-License-Identifier: Apache-2.0
#include "program_io.hpp"

#include <fmt/format.h>

#include "gossamer/util/error.hpp"
#include "gossamer/util/overloaded.hpp"

namespace gossamer {

void write_program(const Program& program, DocumentWriter& out) {
  out.begin_object();
  out.key("discipline");
  std::visit(Overloaded{
                 [&out](const StreamProgram& stream) {
                   out.string("stream");
                   write_stream_fields(stream, 1, out);
                 },
                 [&out](const FramedProgram& framed) {
                   out.string("framed-stream");
                   out.key("frame");
                   out.number(framed.frame);
                   write_stream_fields(framed.slots, framed.frame, out);
                 },
                 [&out](const RelayProgram& relay) {
                   out.string("relay");
                   write_relay_fields(relay, out);
                 },
                 [&out](const ScheduleProgram& schedule) {
                   out.string("schedule");
                   write_schedule_fields(schedule, out);
                 },
                 [&out](const QueuedProgram& queued) {
                   out.string("queued");
                   write_queued_fields(queued, out);
                 },
                 [&out](const DynamicProgram& dynamic) {
                   out.string("dynamic");
                   write_dynamic_fields(dynamic, out);
                 },
             },
             program);
  out.end_object();
}

Program read_program(Fields fields, const Topology& topology, const Document& document) {
  const std::string discipline = fields.string("discipline");
  static const NumberTable kNoTable;
  const auto table_of = [&](std::string_view key) -> const NumberTable& {
    const auto found = document.tables.find(std::string(key));
    if (found == document.tables.end()) return kNoTable;
    (void)fields.any(std::string(key));
    return found->second;
  };
  const NumberTable& table = table_of(kProgramTable);
  const auto finished = [&fields](auto program) {
    fields.done();
    return Program(std::move(program));
  };
  if (discipline == "stream") {
    return finished(read_stream_fields(fields, topology, 1, table));
  }
  if (discipline == "framed-stream") {
    const auto frame = static_cast<std::uint32_t>(
        fields.number("frame", 2, kMaxPorts / std::int64_t{topology.ports()}));
    return finished(FramedProgram{frame, read_stream_fields(fields, topology, frame, table)});
  }
  if (discipline == "relay") return finished(read_relay_fields(fields, topology, table));
  if (discipline == "schedule") return finished(read_schedule_fields(fields, topology, table));
  if (discipline == "queued") {
    return finished(read_queued_fields(fields, topology, table, table_of(kMovesTable)));
  }
  if (discipline == "dynamic") return finished(read_dynamic_fields(fields, topology));
  throw InputError(
      fmt::format("{}: discipline: \"{}\" is unknown", fields.place(), discipline.substr(0, 40)));
}

}  // namespace gossamer
