// SPDX-License-Identifier: Apache-2.0
/// Emitters: a plan as files for other tools.
///
/// Every emitter builds its files in memory first; the same plan always gives the same bytes. An
/// emitter neither plans nor verifies: it writes the contents of the plan.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gossamer/plan/plan.hpp"

namespace gossamer {

/// A file that an emitter made.
struct EmittedFile {
  /// File name without directories.
  std::string name;
  std::string contents;
  /// Limits of the reading programs that the file may exceed, one line each.
  std::vector<std::string> warnings{};

  bool operator==(const EmittedFile&) const = default;
};

/// A format of `gossamer emit --format NAME`.
struct EmitFormat {
  std::string_view name;
  /// One line for `gossamer list`.
  std::string_view description;
};

/// All formats, in the order of the documentation.
[[nodiscard]] std::span<const EmitFormat> emit_formats();

/// The formats that support a plan: those of its machine, and those of its network alone.
[[nodiscard]] std::vector<std::string_view> formats_of(const Plan& plan);
/// Why a plan's machine does not support one of its formats; empty if it does.
[[nodiscard]] std::string format_defect(const Plan& plan, std::string_view format);
/// Throws InputError for an unknown format, and InfeasibleError for a format that does not support
/// the plan; the message lists the supported ones.
void require_format(const Plan& plan, std::string_view format);

/// Bytes of a chunk in `chakra-et` if neither the plan nor the caller specifies a size.
inline constexpr std::uint64_t kDefaultChunkBytes = 65536;

struct EmitOptions {
  /// A letter, then letters, digits and _: every module, package, class and file that depends on
  /// the plan is called NAME_..., so that several plans share a design and a directory. Empty: they
  /// are called gsm_... like those of the library.
  std::string_view name{};
  /// Size of a packet (chakra-et). Empty: the size that the plan's bytes determine, otherwise
  /// kDefaultChunkBytes.
  std::optional<std::uint64_t> chunk_bytes{};
  /// Nodes of each ring (ranks). Empty: the network's edge-disjoint Hamiltonian cycles.
  std::optional<std::uint32_t> ring{};
};

/// The plan in the format `format`: its files in a fixed order. Throws InputError for an unknown
/// format, a bad name, a ring in another format than ranks, and when the format cannot express the
/// plan; InfeasibleError when `sv` cannot (buildable.hpp), and where the network has no such
/// cycles or rings.
[[nodiscard]] std::vector<EmittedFile> emit_files(const Plan& plan, std::string_view format,
                                                  const EmitOptions& options = {});

/// Writes the files into `directory`, which is created when it does not exist, and returns their
/// paths. A file appears under its name only after all of them have been written in full; files of
/// the same names are replaced. Throws InputError when something cannot be written; no new file
/// remains in that case.
std::vector<std::filesystem::path> write_files(const std::vector<EmittedFile>& files,
                                               const std::filesystem::path& directory);

}  // namespace gossamer
