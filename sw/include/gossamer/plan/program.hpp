// SPDX-License-Identifier: Apache-2.0
/// The configuration of every router of a plan: the base of all programs, and the handle by which
/// plans hold one.
#pragma once

#include <concepts>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <utility>

namespace gossamer {

class Machine;

/// The program of all routers of one plan. Each kind of router (machine.hpp) has its own.
class Program {
 public:
  virtual ~Program() = default;

  /// The machine whose routers execute it.
  [[nodiscard]] virtual const Machine& machine() const = 0;
  /// Bytes held, including capacity.
  [[nodiscard]] virtual std::uint64_t memory_bytes() const = 0;
  /// Whether `other`, a program of the same machine, configures the routers in the same way.
  [[nodiscard]] virtual bool equals(const Program& other) const = 0;

 protected:
  Program() = default;
  Program(const Program&) = default;
  Program(Program&&) = default;
  Program& operator=(const Program&) = default;
  Program& operator=(Program&&) = default;
};

/// The common part of all programs of one type: the base of `Told`.
template <typename Told>
class ProgramOf : public Program {
 public:
  [[nodiscard]] bool equals(const Program& other) const final {
    return dynamic_cast<const Told&>(*this) == dynamic_cast<const Told&>(other);
  }
  /// The common part holds no data; derived programs use this in their comparisons.
  bool operator==(const ProgramOf& /*other*/) const { return true; }
};

/// A program as a value. Copies share it until one of them is edited.
class SharedProgram {
 public:
  template <std::derived_from<Program> Told>
  SharedProgram(Told program)  // NOLINT(google-explicit-constructor): a program is one
      : held_(std::make_shared<Told>(std::move(program))) {}

  [[nodiscard]] const Machine& machine() const { return held_->machine(); }
  [[nodiscard]] const Program& operator*() const { return *held_; }
  [[nodiscard]] const Program* operator->() const { return held_.get(); }

  /// Whether as() will succeed, for code that receives a plan from elsewhere.
  template <std::derived_from<Program> Told>
  [[nodiscard]] bool is() const {
    return dynamic_cast<const Told*>(held_.get()) != nullptr;
  }
  /// The program in its machine's type. Throws std::logic_error for a program of another machine.
  template <std::derived_from<Program> Told>
  [[nodiscard]] const Told& as() const {
    const auto* told = dynamic_cast<const Told*>(held_.get());
    if (told == nullptr) throw std::logic_error("the plan is for another kind of router");
    return *told;
  }
  /// The same for editing; a shared program is copied first.
  template <std::derived_from<Program> Told>
  [[nodiscard]] Told& edit() {
    if (held_.use_count() != 1) held_ = std::make_shared<Told>(as<Told>());
    auto* told = dynamic_cast<Told*>(held_.get());
    if (told == nullptr) throw std::logic_error("the plan is for another kind of router");
    return *told;
  }

  bool operator==(const SharedProgram& other) const {
    return held_ == other.held_ || (&machine() == &other.machine() && held_->equals(*other.held_));
  }

 private:
  std::shared_ptr<Program> held_;
};

}  // namespace gossamer
