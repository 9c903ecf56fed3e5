// SPDX-License-Identifier: Apache-2.0
#include "library.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstring>
#include <map>
#include <mutex>

#include "gossamer/util/error.hpp"
#include "model_key.hpp"

namespace gossamer::tb {

namespace {

/// A symbol of a shared object that is never unloaded. The object is found by its name alone: the
/// linker searches the directories of this program's run path. nullptr if there is no such symbol.
const void* symbol_of(const std::string& object, const char* symbol) {
  void* const loaded = dlopen(object.c_str(), RTLD_NOW | RTLD_LOCAL);
  return loaded == nullptr ? nullptr : dlsym(loaded, symbol);
}

/// Whether the model exists and has been compiled from the sources of this program.
bool is_current(const std::string& object) {
  void* const loaded = dlopen(object.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (loaded == nullptr) return false;
  const auto* key = static_cast<const char* const*>(dlsym(loaded, "gossamer_model_key"));
  const bool current = key != nullptr && std::strcmp(*key, kModelKey) == 0;
  // Otherwise the file that replaces it would not be loaded.
  if (!current) dlclose(loaded);
  return current;
}

const void* load(const std::string& name) {
  const std::string object = name + ".so";
  if (!is_current(object)) {
    const void* const build = symbol_of("gossamer_build_model.so", "gossamer_build_model");
    if (build == nullptr) {
      const char* const error = dlerror();
      throw InputError(fmt::format(
          "the RTL model {} is not installed, or of another version of Gossamer; install all of "
          "the package again ({})",
          name, error == nullptr ? object : error));
    }
    using Builder = void(const char* model);
    reinterpret_cast<Builder*>(const_cast<void*>(build))(name.c_str());
    if (!is_current(object)) {
      throw InputError(fmt::format(
          "the RTL model {} has been compiled from other sources than this program; build again",
          name));
    }
  }
  return symbol_of(object, "gossamer_model_maker");
}

}  // namespace

const void* find_model(const std::string& name) {
  static std::mutex mutex;
  static std::map<std::string, const void*> models;
  const std::lock_guard lock(mutex);
  const auto [model, is_new] = models.try_emplace(name, nullptr);
  if (model->second == nullptr) model->second = load(name);
  return model->second;
}

}  // namespace gossamer::tb
