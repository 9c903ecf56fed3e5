// SPDX-License-Identifier: Apache-2.0
/// SystemC: the plan's sizes and tables as a header, with a network that needs no other files, or
/// the plan itself with a network of the installed library.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "gossamer/emit/emit.hpp"
#include "gossamer/plan/plan.hpp"
#include "gossamer/util/text.hpp"

namespace gossamer::emit_detail {

namespace systemc {

/// Numbers as the inside of a braced list, a few a line.
class NumberList {
 public:
  void add(std::uint64_t number) {
    // A decimal literal without a suffix has a sign.
    const bool large =
        number > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    append_format(text_, "{}{}{},", size_ % 16 == 0 ? "\n    " : " ", number, large ? "U" : "");
    ++size_;
  }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::string text_;
  std::size_t size_ = 0;
};

/// Definitions of C++, each with a comment.
[[nodiscard]] std::string constant(std::string_view comment, std::string_view type,
                                   std::string_view name, std::uint64_t value);
[[nodiscard]] std::string list(std::string_view comment, std::string_view type,
                               std::string_view name, const NumberList& numbers);

}  // namespace systemc

/// The network whose routers are those of the embedded file `routers`; `tables` is their
/// configuration, as definitions.
[[nodiscard]] std::vector<EmittedFile> systemc_network(const Plan& plan, const std::string& tables,
                                                       std::string_view routers);

/// The network of any plan with a SystemC engine: its routers are those of the installed library,
/// and the files contain the plan. Throws InputError for a plan that is wrong or has no pins, or
/// that is too large for a testbench.
[[nodiscard]] std::vector<EmittedFile> systemc_collective(const Plan& plan);

}  // namespace gossamer::emit_detail
