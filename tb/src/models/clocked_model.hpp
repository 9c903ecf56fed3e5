// SPDX-License-Identifier: Apache-2.0
/// A Verilated module with the clock and reset that all modules of rtl/ have.
#pragma once

#include <verilated.h>

namespace gossamer::tb {

/// `Model` is Verilator's class of a module with `clk_i` and `rst_ni`, which only this drives.
template <typename Model>
class ClockedModel final : public Model {
 public:
  /// A module out of reset, its clock low. `name` stands in the messages of its assertions.
  explicit ClockedModel(const char* name) : Model(context(), name) {}
  ~ClockedModel() { this->final(); }
  ClockedModel(const ClockedModel&) = delete;
  ClockedModel& operator=(const ClockedModel&) = delete;

  /// Outputs follow inputs, within the cycle.
  void eval() {
    Model::eval();
    is_low_ = true;
  }

  /// A reset pulse, without a clock edge; the inputs that matter to it are to be set before.
  void reset() {
    for (const int level : {1, 0, 1}) {
      this->rst_ni = static_cast<CData>(level);
      eval();
    }
  }

  /// The rising edge of a cycle, and what outputs are behind it. Nothing in rtl/ waits for the
  /// falling one, so the model sees it together with the next inputs.
  void edge() {
    if (!is_low_) Model::eval();
    this->clk_i = 1;
    Model::eval();
    this->clk_i = 0;
    is_low_ = false;
  }

 private:
  /// All instances share a context: one of their own would cost each of them 40 KB, and what little
  /// they use of it (that assertions are on) is the same for all.
  static VerilatedContext* context() {
    static VerilatedContext shared;
    return &shared;
  }

  /// The model has seen the clock low since the last edge.
  bool is_low_ = false;
};

}  // namespace gossamer::tb
