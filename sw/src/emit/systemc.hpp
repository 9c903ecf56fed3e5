// SPDX-License-Identifier: Apache-2.0
/// SystemC: the plan's sizes and tables as a header, with a network that needs no other files.
#pragma once

#include <cstdint>
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
    append_format(text_, "{}{},", size_ % 16 == 0 ? "\n    " : " ", number);
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

}  // namespace gossamer::emit_detail
