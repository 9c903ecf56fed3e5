// SPDX-License-Identifier: Apache-2.0
#include "wave_file.hpp"

#include <fmt/format.h>
#include <fstapi.h>

#include <fstream>
#include <memory>
#include <unordered_map>

#include "gossamer/systemc/vcd_wave.hpp"
#include "gossamer/util/error.hpp"

namespace gossamer::cli {

namespace {

const std::filesystem::path& checked(const std::filesystem::path& target) {
  if (target.extension() != ".vcd" && target.extension() != ".fst") {
    throw InputError(fmt::format("--wave: {}: the name must end in .vcd or .fst", target.string()));
  }
  return target;
}

[[noreturn]] void cannot_write(const std::filesystem::path& target) {
  throw InputError(fmt::format("{}: cannot be written: is the disk full?", target.string()));
}

/// SystemC does not report failed writes.
void check_whole(const std::filesystem::path& vcd, const std::filesystem::path& target) {
  constexpr std::streamoff kTail = 64;
  std::ifstream in(vcd, std::ios::binary | std::ios::ate);
  in.seekg(std::max<std::streamoff>(0, in.tellg() - kTail));
  const std::string tail(std::istreambuf_iterator<char>(in), {});
  if (tail.find(systemc::kEndOfWaves) == std::string::npos) cannot_write(target);
}

/// Nor does the FST writer; its reader finds the end of a whole file alone.
void check_whole_fst(const std::filesystem::path& fst, const std::filesystem::path& target) {
  void* const reader = fstReaderOpen(fst.c_str());
  if (reader == nullptr) cannot_write(target);
  const bool whole = fstReaderGetValueChangeSectionCount(reader) > 0;
  fstReaderClose(reader);
  if (!whole) cannot_write(target);
}

struct Variable {
  fstHandle handle = 0;
  std::size_t bits = 1;
};

/// One pass over the tokens of a VCD file (IEEE 1800, section 21.7).
class VcdReader {
 public:
  VcdReader(std::istream& in, void* out) : in_(in), out_(out) {}

  void run() {
    fstWriterSetTimescaleFromString(out_, "1 ps");
    std::string token;
    while (in_ >> token) {
      if (token == "$scope") {
        const std::string kind = word();
        fstWriterSetScope(out_, FST_ST_VCD_MODULE, word().c_str(), nullptr);
        skip_to_end();
      } else if (token == "$upscope") {
        fstWriterSetUpscope(out_);
        skip_to_end();
      } else if (token == "$var") {
        declare();
      } else if (token == "$dumpvars" || token == "$end") {
        // Values of variables follow, as anywhere else.
      } else if (token.front() == '$') {
        skip_to_end();
      } else if (token.front() == '#') {
        fstWriterEmitTimeChange(out_, std::stoull(token.substr(1)));
      } else if (token.front() == 'b') {
        change(word(), token.substr(1));
      } else {
        change(token.substr(1), token.substr(0, 1));
      }
    }
  }

 private:
  std::string word() {
    std::string token;
    in_ >> token;
    return token;
  }
  void skip_to_end() {
    while (in_ && word() != "$end") {
    }
  }
  void declare() {
    const std::string kind = word();
    const auto bits = static_cast<std::uint32_t>(std::stoul(word()));
    const std::string id = word();
    std::string name;
    for (std::string part = word(); in_ && part != "$end"; part = word()) {
      name += (name.empty() ? "" : " ") + part;
    }
    variables_[id] = {
        fstWriterCreateVar(out_, FST_VT_VCD_WIRE, FST_VD_IMPLICIT, bits, name.c_str(), 0), bits};
  }
  void change(const std::string& id, const std::string& value) {
    const Variable& variable = variables_.at(id);
    // VCD leaves out leading zeros.
    std::string all(variable.bits - std::min(variable.bits, value.size()),
                    value.front() == '1' ? '0' : value.front());
    all += value;
    fstWriterEmitValueChange(out_, variable.handle, all.c_str());
  }

  std::istream& in_;
  void* out_;
  std::unordered_map<std::string, Variable> variables_;
};

}  // namespace

WaveFile::WaveFile(const std::filesystem::path& target)
    : target_(checked(target)), vcd_(target_, ".vcd") {}

void WaveFile::commit() {
  check_whole(vcd_.path(), target_);
  if (target_.extension() == ".vcd") {
    vcd_.commit();
    return;
  }
  TemporaryName fst(target_, ".fst");
  convert_vcd_to_fst(vcd_.path(), fst.path());
  check_whole_fst(fst.path(), target_);
  fst.commit();
}

void convert_vcd_to_fst(const std::filesystem::path& vcd, const std::filesystem::path& fst) {
  std::ifstream in(vcd);
  if (!in) throw InputError(fmt::format("{}: cannot be read", vcd.string()));
  const std::unique_ptr<void, decltype(&fstWriterClose)> out(fstWriterCreate(fst.c_str(), 1),
                                                             fstWriterClose);
  if (!out) throw InputError(fmt::format("{}: cannot be written", fst.string()));
  VcdReader(in, out.get()).run();
}

}  // namespace gossamer::cli
