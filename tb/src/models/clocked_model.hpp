// SPDX-License-Identifier: Apache-2.0
/// A Verilated module with the clock and reset that all modules of rtl/ have.
#pragma once

#include <verilated.h>

namespace gossamer::tb {

/// `Model` is Verilator's class of a module with `clk_i` and `rst_ni`, which only this drives.
template <typename Model>
class ClockedModel final : public Model {
 public:
  /// A module out of reset, its clock low. `name` appears in the messages of its assertions.
  explicit ClockedModel(const char* name) : Model(context(), name) {}
  ~ClockedModel() { this->final(); }
  ClockedModel(const ClockedModel&) = delete;
  ClockedModel& operator=(const ClockedModel&) = delete;

  /// Updates the outputs from the inputs, within the cycle.
  void eval() {
    Model::eval();
    is_low_ = true;
  }

  /// A reset pulse, without a clock edge; set the inputs that affect it before the call.
  void reset() {
    for (const int level : {1, 0, 1}) {
      this->rst_ni = static_cast<CData>(level);
      eval();
    }
  }

  /// The rising edge of a cycle and the outputs after it. Nothing in rtl/ uses the falling edge, so
  /// the model sees it together with the next inputs.
  void edge() {
    if (!is_low_) Model::eval();
    this->clk_i = 1;
    Model::eval();
    this->clk_i = 0;
    is_low_ = false;
  }

 private:
  /// All instances share a context: separate contexts would cost 40 KB each, and the part that they
  /// use (assertions are on) is the same for all.
  static VerilatedContext* context() {
    static VerilatedContext shared;
    return &shared;
  }

  /// The model has seen the clock low since the last edge.
  bool is_low_ = false;
};

}  // namespace gossamer::tb
