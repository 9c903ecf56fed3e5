// SPDX-License-Identifier: Apache-2.0
/// Changes documents structurally: a number, a word, an entry of a list. Byte changes by libFuzzer
/// rarely give a valid document; they still make up every second change.
#include <cstring>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

namespace {

using Json = nlohmann::ordered_json;

void collect(Json& at, std::vector<Json*>& all) {
  all.push_back(&at);
  for (Json& child : at) {
    if (at.is_structured()) collect(child, all);
  }
}

void mutate_number(Json& number, std::minstd_rand& random) {
  const auto value = number.get<std::int64_t>();
  switch (random() % 6) {
    case 0:
      number = value + 1;
      break;
    case 1:
      number = value - 1;
      break;
    case 2:
      number = 0;
      break;
    case 3:
      number = value > INT64_MAX / 2 || value < INT64_MIN / 2 ? 1 : 2 * value;
      break;
    case 4:
      number = std::int64_t{1} << (random() % 63);
      break;
    default:
      number = static_cast<std::int64_t>(random() % 16);
  }
}

void mutate_list(Json& list, std::minstd_rand& random) {
  if (list.empty()) return;
  const auto at = static_cast<std::ptrdiff_t>(random() % list.size());
  switch (random() % 3) {
    case 0:
      list.erase(list.begin() + at);
      break;
    case 1:
      list.push_back(Json(list[static_cast<std::size_t>(at)]));
      break;
    default:
      std::swap(list[static_cast<std::size_t>(at)], list[random() % list.size()]);
  }
}

/// One change somewhere.
void mutate(Json& document, std::minstd_rand& random) {
  std::vector<Json*> all;
  collect(document, all);
  Json& at = *all[random() % all.size()];
  Json& other = *all[random() % all.size()];
  if (random() % 8 == 0 && !other.is_structured()) {
    at = Json(other);
  } else if (at.is_number_integer()) {
    mutate_number(at, random);
  } else if (at.is_boolean()) {
    at = !at.get<bool>();
  } else if (at.is_array()) {
    mutate_list(at, random);
  } else if (at.is_object() && !at.empty() && random() % 4 == 0) {
    at.erase(std::next(at.begin(), static_cast<std::ptrdiff_t>(random() % at.size())));
  } else if (at.is_null()) {
    at = random() % 100;
  } else if (at.is_string() && other.is_string()) {
    at = Json(other);
  }
}

}  // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t max_size, unsigned seed) {
  std::minstd_rand random(seed);
  const bool json = size != 0 && data[0] == '{';
  std::string text;
  try {
    if (random() % 2 == 0) return LLVMFuzzerMutate(data, size, max_size);
    Json document = json ? Json::parse(data, data + size) : Json::from_cbor(data, data + size);
    do {
      mutate(document, random);
    } while (random() % 3 == 0);
    text = document.dump();
    if (!json) {
      text.clear();
      Json::to_cbor(document, text);
    }
  } catch (const Json::exception&) {
    return LLVMFuzzerMutate(data, size, max_size);
  }
  if (text.size() > max_size) return LLVMFuzzerMutate(data, size, max_size);
  std::memcpy(data, text.data(), text.size());
  return text.size();
}
