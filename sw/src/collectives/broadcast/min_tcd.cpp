// SPDX-License-Identifier: Apache-2.0
/// Dynamic programming over regions: T(R, r, s) of docs/spec/broadcast.md, section 4, for all s of
/// R at once.
///
/// A region is kept up to translation. Boxes are by far the most frequent: they are cut straight in
/// every place, and a box stores on each of its faces what it costs to serve it from there, so that
/// a straight cut takes O(1) a source. Jogs and snakes (one each a region) go through a distance
/// transform over the region's bounding box.
#include "gossamer/collectives/broadcast/min_tcd.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "gossamer/bounds/broadcast.hpp"
#include "gossamer/machines/relay/clock.hpp"
#include "gossamer/util/error.hpp"

namespace gossamer {

namespace {

/// Further than any TCD, with room for a distance on top.
constexpr std::uint32_t kFar = std::numeric_limits<std::uint32_t>::max() / 4;

/// How a region came to be, which decides how it may be cut.
enum class Kind : std::uint8_t { kBox, kJog, kSnake };

/// A set of cells up to translation.
struct Region {
  Kind kind = Kind::kBox;
  /// Sides of the bounding box; entries from d on are 1.
  Coordinates widths{};
  /// Cells in it.
  std::uint32_t size = 0;
  /// One byte a cell of the bounding box, dimension 0 fastest; empty for a box.
  std::vector<std::uint8_t> cells;
  /// kSnake: the box whose snake this is an interval [first, first + size) of.
  Coordinates snake_box{};
  std::uint32_t snake_first = 0;
};

/// A region and where its bounding box lies in that of the region it was cut from.
struct Part {
  Region region;
  Coordinates offset{};
};
using PartPair = std::array<Part, 2>;

struct Solution;

/// A cut of a solved region: its two parts, solved.
struct Cut {
  std::array<const Solution*, 2> part{};
  std::array<Coordinates, 2> offset{};
};

/// T(R, r, s) for all s, and the cuts it was found with.
struct Solution {
  Region region;
  /// By cell of the bounding box; kFar outside the region.
  std::vector<std::uint32_t> total;
  /// Boxes: face[2 i] and face[2 i + 1] hold for every cell of the low and the high face of
  /// dimension i the least |cell - t| + total[t].
  std::vector<std::vector<std::uint32_t>> face;
  /// In the order in which ties are decided.
  std::vector<Cut> cuts;
};

class Solver {
 public:
  explicit Solver(const Topology& mesh) : d_(static_cast<std::size_t>(mesh.dimensions())) {
    Coordinates widths;
    widths.fill(1);
    for (std::size_t i = 0; i < d_; ++i) widths[i] = mesh.sides()[i];
    mesh_ = &solve(box(widths), bounds::broadcast_steps(mesh));
  }

  /// The whole mesh.
  [[nodiscard]] const Solution& mesh() const { return *mesh_; }

  /// Adds all sends from `source` to `program`.
  void build(const Topology& topology, NodeId source, RelayProgram& program) const {
    struct Holder {
      const Solution* region;
      Coordinates origin;
      Coordinates at;  // in the region's bounding box
    };
    std::vector<Holder> holders{{mesh_, Coordinates{}, topology.coordinates(source)}};
    while (std::any_of(holders.begin(), holders.end(),
                       [](const Holder& holder) { return holder.region->region.size > 1; })) {
      std::vector<Holder> next;
      next.reserve(2 * holders.size());
      for (const Holder& holder : holders) {
        if (holder.region->region.size == 1) {
          next.push_back(holder);
          continue;
        }
        const Choice choice = choose(*holder.region, holder.at);
        const RelayPath path = path_inside(holder.region->region, holder.at, choice.target);
        program.add_send(topology.node(plus(holder.origin, holder.at)), path);
        for (const std::size_t side : {choice.side, 1 - choice.side}) {
          const Coordinates offset = choice.cut->offset[side];
          const Coordinates at = side == choice.side ? holder.at : choice.target;
          next.push_back({choice.cut->part[side], plus(holder.origin, offset), minus(at, offset)});
        }
      }
      program.end_step();
      holders = std::move(next);
    }
  }

 private:
  struct Choice {
    const Cut* cut = nullptr;
    /// The part that holds the sender.
    std::size_t side = 0;
    /// In the bounding box of the region that is cut.
    Coordinates target{};
  };

  // ---- coordinates and cells -------------------------------------------------------------------

  [[nodiscard]] static Coordinates plus(Coordinates a, const Coordinates& b) {
    for (std::size_t i = 0; i < a.size(); ++i) a[i] += b[i];
    return a;
  }
  [[nodiscard]] static Coordinates minus(Coordinates a, const Coordinates& b) {
    for (std::size_t i = 0; i < a.size(); ++i) a[i] -= b[i];
    return a;
  }
  /// Number of a cell in a bounding box, dimension 0 fastest.
  [[nodiscard]] std::size_t cell(const Coordinates& widths, const Coordinates& at) const {
    std::size_t number = 0;
    for (std::size_t i = d_; i-- > 0;) number = number * widths[i] + at[i];
    return number;
  }
  [[nodiscard]] std::size_t volume(const Coordinates& widths) const {
    std::size_t cells = 1;
    for (std::size_t i = 0; i < d_; ++i) cells *= widths[i];
    return cells;
  }
  /// The next cell of a bounding box; after the last one the first.
  void advance(const Coordinates& widths, Coordinates& at) const {
    for (std::size_t i = 0; i < d_; ++i) {
      if (++at[i] < widths[i]) return;
      at[i] = 0;
    }
  }
  [[nodiscard]] bool contains(const Region& region, const Coordinates& at) const {
    return region.kind == Kind::kBox || region.cells[cell(region.widths, at)] != 0;
  }
  /// The coordinates of all cells of a region, in node-id order.
  [[nodiscard]] std::vector<Coordinates> cells_of(const Region& region) const {
    std::vector<Coordinates> cells;
    cells.reserve(region.size);
    Coordinates at{};
    for (std::size_t n = volume(region.widths); n-- > 0; advance(region.widths, at)) {
      if (contains(region, at)) cells.push_back(at);
    }
    return cells;
  }
  [[nodiscard]] Region box(const Coordinates& widths) const {
    Region region;
    region.widths = widths;
    region.size = static_cast<std::uint32_t>(volume(widths));
    return region;
  }
  /// The region of the given cells, none twice; a full rectangle becomes a box whatever `kind`.
  [[nodiscard]] Part part_of(Kind kind, const std::vector<Coordinates>& cells) const {
    Part part;
    Coordinates high{};
    part.offset = cells.front();
    for (const Coordinates& at : cells) {
      for (std::size_t i = 0; i < d_; ++i) {
        part.offset[i] = std::min(part.offset[i], at[i]);
        high[i] = std::max(high[i], at[i]);
      }
    }
    Region& region = part.region;
    region.widths.fill(1);
    for (std::size_t i = 0; i < d_; ++i) region.widths[i] = high[i] - part.offset[i] + 1;
    region.size = static_cast<std::uint32_t>(cells.size());
    if (cells.size() == volume(region.widths)) return part;
    region.kind = kind;
    region.cells.assign(volume(region.widths), 0);
    for (const Coordinates& at : cells) {
      region.cells[cell(region.widths, minus(at, part.offset))] = 1;
    }
    return part;
  }

  // ---- jog cuts --------------------------------------------------------------------------------

  /// Least and largest size of one part of n cells when neither may exceed 2^(r-1).
  [[nodiscard]] static std::pair<std::uint32_t, std::uint32_t> part_range(std::uint32_t n, int r) {
    const std::uint32_t most = 1U << (r - 1);
    return {n > most ? n - most : 1, std::min(n - 1, most)};
  }

  /// True when a box can be cut between two slabs of a dimension. A jog tries that first along its
  /// first axis, a snake along its slowest dimension; then they are straight cuts.
  [[nodiscard]] static bool cuts_straight(const Region& box, std::size_t dim, int r) {
    const std::uint32_t slab = box.size / box.widths[dim];
    const auto [first, last] = part_range(box.size, r);
    return last / slab * slab >= first;
  }

  /// All sizes that part_range allows, the most even first.
  [[nodiscard]] static std::vector<std::uint32_t> part_sizes(std::uint32_t n, int r) {
    const auto [first, last] = part_range(n, r);
    std::vector<std::uint32_t> sizes;
    for (std::uint32_t z = first; z <= last; ++z) sizes.push_back(z);
    const auto imbalance = [n](std::uint32_t z) { return 2 * z > n ? 2 * z - n : n - 2 * z; };
    std::stable_sort(sizes.begin(), sizes.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return imbalance(a) < imbalance(b); });
    return sizes;
  }

  /// Cells in each slab of an axis.
  [[nodiscard]] static std::vector<std::uint32_t> slab_sizes(const Region& region,
                                                             const std::vector<Coordinates>& cells,
                                                             std::size_t axis) {
    std::vector<std::uint32_t> slabs(region.widths[axis], 0);
    for (const Coordinates& at : cells) ++slabs[at[axis]];
    return slabs;
  }

  /// The first z cells of a region: whole slabs and what is missing then.
  struct SlabCut {
    std::uint32_t whole = 0;
    std::uint32_t missing = 0;
  };
  [[nodiscard]] static SlabCut slab_cut(const std::vector<std::uint32_t>& slabs, std::uint32_t z) {
    SlabCut cut{0, z};
    while (cut.whole < slabs.size() && slabs[cut.whole] <= cut.missing) {
      cut.missing -= slabs[cut.whole++];
    }
    return cut;
  }

  /// The candidate (axis, z, end) of a jog. `cells` are the region's, in node-id order, `slabs`
  /// those of the axis.
  [[nodiscard]] PartPair jog_candidate(const std::vector<Coordinates>& cells, std::size_t axis,
                                       const std::vector<std::uint32_t>& slabs, std::uint32_t z,
                                       bool high_end) const {
    const auto [whole, missing] = slab_cut(slabs, z);
    // Of the next slab, the cells from this one on (low end) or from the rest on (high end).
    const std::uint32_t skip = high_end && missing > 0 ? slabs[whole] - missing : 0;
    std::array<std::vector<Coordinates>, 2> parts;
    std::uint32_t seen = 0;
    for (const Coordinates& at : cells) {
      bool taken = at[axis] < whole;
      if (at[axis] == whole) {
        taken = seen >= skip && seen < skip + missing;
        ++seen;
      }
      parts[taken ? 0 : 1].push_back(at);
    }
    return {part_of(Kind::kJog, parts[0]), part_of(Kind::kJog, parts[1])};
  }

  /// The jog of a region in r steps, if there is one (spec, "min-tcd", point 2).
  const std::optional<PartPair>& jog(const Region& region, int r) {
    const std::string name = key(region, r);
    if (const auto found = jogs_.find(name); found != jogs_.end()) return found->second;
    std::optional<PartPair> parts = find_jog(region, r);
    return jogs_.emplace(name, std::move(parts)).first->second;
  }

  [[nodiscard]] std::optional<PartPair> find_jog(const Region& region, int r) {
    const std::vector<Coordinates> cells = cells_of(region);
    const std::vector<std::uint32_t> sizes = part_sizes(region.size, r);
    std::vector<std::size_t> axes(d_);
    for (std::size_t i = 0; i < d_; ++i) axes[i] = i;
    std::stable_sort(axes.begin(), axes.end(), [&](std::size_t a, std::size_t b) {
      return region.widths[a] > region.widths[b];
    });
    const auto good = [&](const PartPair& parts) {
      return std::all_of(parts.begin(), parts.end(), [&](const Part& part) {
        return is_geodesic(part.region) && is_finishable(part.region, r - 1);
      });
    };
    std::vector<std::vector<std::uint32_t>> slabs;
    for (std::size_t i = 0; i < d_; ++i) slabs.push_back(slab_sizes(region, cells, i));
    const std::size_t first = axes.front();
    for (const std::uint32_t z : sizes) {
      if (slab_cut(slabs[first], z).missing > 0) continue;
      PartPair parts = jog_candidate(cells, first, slabs[first], z, false);
      if (good(parts)) return parts;
    }
    for (const std::uint32_t z : sizes) {
      for (const std::size_t axis : axes) {
        for (const bool high_end : {false, true}) {
          PartPair parts = jog_candidate(cells, axis, slabs[axis], z, high_end);
          if (good(parts)) return parts;
        }
      }
    }
    return std::nullopt;
  }

  [[nodiscard]] bool is_finishable(const Region& region, int r) {
    return region.kind == Kind::kBox || jog(region, r).has_value();
  }

  /// Every two cells are joined by a monotone path inside: exactly when the graph distance of every
  /// two cells is their Manhattan distance.
  [[nodiscard]] bool is_geodesic(const Region& region) const {
    if (region.kind == Kind::kBox) return true;
    return d_ <= 2 ? is_geodesic_2d(region) : is_geodesic_by_search(region);
  }

  /// 2-D: connected, and every row and column is one run.
  [[nodiscard]] bool is_geodesic_2d(const Region& region) const {
    const std::uint32_t nx = region.widths[0];
    const std::uint32_t ny = region.widths[1];
    std::vector<bool> column_begun(nx, false);
    std::vector<bool> column_ended(nx, false);
    bool any_before = false;
    for (std::uint32_t y = 0; y < ny; ++y) {
      bool begun = false;
      bool ended = false;
      bool touches = false;
      for (std::uint32_t x = 0; x < nx; ++x) {
        if (region.cells[std::size_t{y} * nx + x] == 0) {
          ended = begun;
          column_ended[x] = column_begun[x];
          continue;
        }
        if (ended || column_ended[x]) return false;
        touches = touches || column_begun[x];
        begun = true;
        column_begun[x] = true;
      }
      // Rows are runs without a gap between them: connected when each run overlaps the last one.
      if (!begun || (any_before && !touches)) return false;
      any_before = true;
    }
    return true;
  }

  [[nodiscard]] bool is_geodesic_by_search(const Region& region) const {
    const std::vector<Coordinates> cells = cells_of(region);
    std::vector<std::uint32_t> distance;
    std::vector<Coordinates> queue;
    for (const Coordinates& from : cells) {
      distance.assign(region.cells.size(), kFar);
      queue.assign(1, from);
      distance[cell(region.widths, from)] = 0;
      for (std::size_t head = 0; head < queue.size(); ++head) {
        const Coordinates at = queue[head];
        const std::uint32_t here = distance[cell(region.widths, at)];
        std::uint32_t manhattan = 0;
        for (std::size_t i = 0; i < d_; ++i) {
          manhattan += std::max(at[i], from[i]) - std::min(at[i], from[i]);
        }
        if (here != manhattan) return false;
        for (std::size_t i = 0; i < d_; ++i) {
          for (const bool up : {false, true}) {
            if (up ? at[i] + 1 == region.widths[i] : at[i] == 0) continue;
            Coordinates next = at;
            next[i] = up ? at[i] + 1 : at[i] - 1;
            std::uint32_t& there = distance[cell(region.widths, next)];
            if (!contains(region, next) || there != kFar) continue;
            there = here + 1;
            queue.push_back(next);
          }
        }
      }
      if (queue.size() != cells.size()) return false;
    }
    return true;
  }

  // ---- snake cuts ------------------------------------------------------------------------------

  /// Dimensions of a box from the fastest of its snake to the slowest.
  [[nodiscard]] std::vector<std::size_t> snake_order(const Coordinates& widths) const {
    std::vector<std::size_t> order(d_);
    for (std::size_t i = 0; i < d_; ++i) order[i] = i;
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return widths[a] < widths[b]; });
    return order;
  }

  /// The cell at a position of a box's snake: each dimension turns back whenever a slower one
  /// moves.
  [[nodiscard]] Coordinates snake_cell(const Coordinates& widths,
                                       const std::vector<std::size_t>& order,
                                       std::uint32_t position) const {
    Coordinates at{};
    for (const std::size_t i : order) {
      const std::uint32_t pass = position / widths[i];
      const std::uint32_t along = position % widths[i];
      at[i] = pass % 2 == 0 ? along : widths[i] - 1 - along;
      position = pass;
    }
    return at;
  }

  /// The snake cut of a box or of an interval of a box's snake (spec, "min-tcd", point 3).
  [[nodiscard]] PartPair snake(const Region& region, int r) const {
    const bool is_box = region.kind == Kind::kBox;
    const Coordinates& widths = is_box ? region.widths : region.snake_box;
    const std::uint32_t first = is_box ? 0 : region.snake_first;
    const std::uint32_t n = region.size;
    const std::vector<std::size_t> order = snake_order(widths);
    const auto slab = static_cast<std::uint32_t>(volume(widths) / widths[order.back()]);
    std::vector<std::uint32_t> sizes = part_sizes(n, r);
    std::stable_partition(sizes.begin(), sizes.end(),
                          [&](std::uint32_t p) { return (first + p) % slab == 0; });
    const std::uint32_t p = sizes.front();
    // The interval's own bounding box is where the region's coordinates start.
    std::vector<Coordinates> cells(n);
    for (std::uint32_t i = 0; i < n; ++i) cells[i] = snake_cell(widths, order, first + i);
    const Coordinates origin = part_of(Kind::kSnake, cells).offset;
    PartPair parts;
    for (const std::size_t side : {std::size_t{0}, std::size_t{1}}) {
      const auto middle = cells.begin() + p;
      parts[side] = part_of(Kind::kSnake, side == 0 ? std::vector(cells.begin(), middle)
                                                    : std::vector(middle, cells.end()));
      parts[side].offset = minus(parts[side].offset, origin);
      parts[side].region.snake_box = widths;
      parts[side].region.snake_first = side == 0 ? first : first + p;
    }
    return parts;
  }

  // ---- dynamic programming ---------------------------------------------------------------------

  /// Equal exactly for regions that may be cut in the same ways in r steps.
  [[nodiscard]] std::string key(const Region& region, int r) const {
    std::string name;
    const auto add = [&name](std::uint32_t value) {
      name.append({static_cast<char>(value & 0xff), static_cast<char>(value >> 8 & 0xff),
                   static_cast<char>(value >> 16 & 0xff), static_cast<char>(value >> 24)});
    };
    name += static_cast<char>(region.kind);
    name += static_cast<char>(r);
    for (std::size_t i = 0; i < d_; ++i) add(region.widths[i]);
    if (region.kind == Kind::kSnake) {
      for (std::size_t i = 0; i < d_; ++i) add(region.snake_box[i]);
      add(region.snake_first);
      add(region.size);
    } else {
      name.append(region.cells.begin(), region.cells.end());
    }
    return name;
  }

  const Solution& solve(const Region& region, int r) {
    const std::string name = key(region, r);
    if (const auto found = solutions_.find(name); found != solutions_.end()) return *found->second;
    auto solution = std::make_unique<Solution>();
    solution->region = region;
    const std::size_t cells = volume(region.widths);
    spend(cells);
    solution->total.assign(cells, region.size == 1 ? 0 : kFar);
    if (region.size > 1) {
      const bool is_box = region.kind == Kind::kBox;
      if (is_box) cut_straight(*solution, r);
      // The widest dimension: of equal ones the jog takes the lowest, the snake the highest.
      const auto& widths = region.widths;
      const auto widest = static_cast<std::size_t>(
          std::max_element(widths.begin(), widths.begin() + d_) - widths.begin());
      if (region.kind != Kind::kSnake && !(is_box && cuts_straight(region, widest, r))) {
        if (const std::optional<PartPair>& parts = jog(region, r)) {
          cut_freely(*solution, *parts, r);
        }
      }
      const std::size_t slowest = is_box ? snake_order(widths).back() : 0;
      if (region.kind != Kind::kJog && !(is_box && cuts_straight(region, slowest, r))) {
        cut_freely(*solution, snake(region, r), r);
      }
    }
    if (region.kind == Kind::kBox) fill_faces(*solution);
    return *solutions_.emplace(name, std::move(solution)).first->second;
  }

  void spend(std::size_t cells) {
    cells_ += cells;
    if (cells_ > kMinTcdMaxCells) {
      throw InfeasibleError(
          fmt::format("min-tcd: these sides require tables of more than {} entries; nearest "
                      "feasible: power-of-two sides, or --algorithm doubling",
                      kMinTcdMaxCells));
    }
  }

  void cut_straight(Solution& solution, int r) {
    const Region region = solution.region;
    const std::uint32_t most = 1U << (r - 1);
    for (std::size_t dim = 0; dim < d_; ++dim) {
      const std::uint32_t width = region.widths[dim];
      const std::uint32_t slab = region.size / width;
      for (std::uint32_t c = 1; c < width; ++c) {
        if (c * slab > most || (width - c) * slab > most) continue;
        Coordinates widths = region.widths;
        widths[dim] = c;
        const Solution& low = solve(box(widths), r - 1);
        widths[dim] = width - c;
        const Solution& high = solve(box(widths), r - 1);
        Cut cut{{&low, &high}, {}};
        cut.offset[1][dim] = c;
        solution.cuts.push_back(cut);
        improve_straight(solution, cut, dim, c);
      }
    }
  }

  /// The way to the other side crosses the cut at the cell opposite.
  void improve_straight(Solution& solution, const Cut& cut, std::size_t dim,
                        std::uint32_t c) const {
    const Coordinates& widths = solution.region.widths;
    std::size_t inner = 1;
    for (std::size_t i = 0; i < dim; ++i) inner *= widths[i];
    const std::size_t outer = solution.total.size() / inner / widths[dim];
    const std::vector<std::uint32_t>& low = cut.part[0]->total;
    const std::vector<std::uint32_t>& high = cut.part[1]->total;
    const std::vector<std::uint32_t>& face_of_low = cut.part[0]->face[2 * dim + 1];
    const std::vector<std::uint32_t>& face_of_high = cut.part[1]->face[2 * dim];
    for (std::size_t o = 0; o < outer; ++o) {
      for (std::uint32_t x = 0; x < widths[dim]; ++x) {
        std::uint32_t* total = &solution.total[(o * widths[dim] + x) * inner];
        const bool below = x < c;
        const std::uint32_t* own =
            below ? &low[(o * c + x) * inner] : &high[(o * (widths[dim] - c) + x - c) * inner];
        const std::uint32_t* across = &(below ? face_of_high : face_of_low)[o * inner];
        const std::uint32_t distance = below ? c - x : x - c + 1;
        for (std::size_t i = 0; i < inner; ++i) {
          total[i] = std::min(total[i], own[i] + across[i] + distance);
        }
      }
    }
  }

  /// A jog or snake cut. Two boxes are a straight cut, which a box has seen already.
  void cut_freely(Solution& solution, const PartPair& parts, int r) {
    const Cut cut{{&solve(parts[0].region, r - 1), &solve(parts[1].region, r - 1)},
                  {parts[0].offset, parts[1].offset}};
    for (const std::size_t side : {std::size_t{0}, std::size_t{1}}) {
      const std::vector<std::uint32_t> across = spread(solution.region, cut, 1 - side);
      const Solution& own = *cut.part[side];
      Coordinates at{};
      for (std::size_t n = 0; n < own.total.size(); ++n, advance(own.region.widths, at)) {
        if (own.total[n] >= kFar) continue;
        const std::size_t here = cell(solution.region.widths, plus(at, cut.offset[side]));
        solution.total[here] = std::min(solution.total[here], own.total[n] + across[here]);
      }
    }
    solution.cuts.push_back(cut);
  }

  /// For every cell of the region's bounding box the least |cell - t| + T(t) over the cells t of
  /// one part.
  [[nodiscard]] std::vector<std::uint32_t> spread(const Region& region, const Cut& cut,
                                                  std::size_t side) const {
    std::vector<std::uint32_t> least(volume(region.widths), kFar);
    const Solution& part = *cut.part[side];
    Coordinates at{};
    for (std::size_t n = 0; n < part.total.size(); ++n, advance(part.region.widths, at)) {
      least[cell(region.widths, plus(at, cut.offset[side]))] = part.total[n];
    }
    transform(region.widths, least);
    return least;
  }

  /// least[c] becomes the minimum over all c' of least[c'] + |c - c'|.
  void transform(const Coordinates& widths, std::vector<std::uint32_t>& least) const {
    std::size_t inner = 1;
    for (std::size_t dim = 0; dim < d_; ++dim) {
      const std::size_t line = inner * widths[dim];
      for (std::size_t start = 0; start < least.size(); start += line) {
        for (std::size_t i = start + inner; i < start + line; ++i) {
          least[i] = std::min(least[i], least[i - inner] + 1);
        }
        for (std::size_t i = start + line - inner; i-- > start;) {
          least[i] = std::min(least[i], least[i + inner] + 1);
        }
      }
      inner = line;
    }
  }

  void fill_faces(Solution& solution) {
    const Coordinates& widths = solution.region.widths;
    std::vector<std::uint32_t> least = solution.total;
    transform(widths, least);
    solution.face.resize(2 * d_);
    std::size_t inner = 1;
    for (std::size_t dim = 0; dim < d_; ++dim) {
      const std::size_t outer = least.size() / inner / widths[dim];
      spend(2 * outer * inner);
      for (const bool high : {false, true}) {
        std::vector<std::uint32_t>& face = solution.face[2 * dim + (high ? 1 : 0)];
        face.reserve(outer * inner);
        for (std::size_t o = 0; o < outer; ++o) {
          const auto start =
              static_cast<std::ptrdiff_t>((o * widths[dim] + (high ? widths[dim] - 1 : 0)) * inner);
          face.insert(face.end(), least.begin() + start,
                      least.begin() + start + static_cast<std::ptrdiff_t>(inner));
        }
      }
      inner *= widths[dim];
    }
  }

  // ---- one source ------------------------------------------------------------------------------

  /// The first cut and then the first target that give the region's least TCD from `at`.
  [[nodiscard]] Choice choose(const Solution& solution, const Coordinates& at) const {
    const std::uint32_t wanted = solution.total[cell(solution.region.widths, at)];
    for (const Cut& cut : solution.cuts) {
      const std::size_t side = part_with(cut, at);
      const Solution& own = *cut.part[side];
      const Solution& other = *cut.part[1 - side];
      const Coordinates& offset = cut.offset[1 - side];
      const std::uint32_t own_total =
          own.total[cell(own.region.widths, minus(at, cut.offset[side]))];
      if (own_total > wanted) continue;
      Coordinates to{};
      for (std::size_t n = 0; n < other.total.size(); ++n, advance(other.region.widths, to)) {
        std::uint32_t distance = 0;
        for (std::size_t i = 0; i < d_; ++i) {
          const std::uint32_t there = to[i] + offset[i];
          distance += std::max(there, at[i]) - std::min(there, at[i]);
        }
        if (own_total + distance + other.total[n] == wanted) {
          return {&cut, side, plus(to, offset)};
        }
      }
    }
    throw std::logic_error("min-tcd: no cut gives the region's total");
  }

  /// The part of a cut that a cell lies in.
  [[nodiscard]] std::size_t part_with(const Cut& cut, const Coordinates& at) const {
    const Region& first = cut.part[0]->region;
    for (std::size_t i = 0; i < d_; ++i) {
      if (at[i] < cut.offset[0][i] || at[i] - cut.offset[0][i] >= first.widths[i]) return 1;
    }
    return contains(first, minus(at, cut.offset[0])) ? 0 : 1;
  }

  /// A monotone path from `from` to `to` inside the region: dimension-ordered in the first order
  /// that stays inside; else with the fewest turns, ties by the lower dimension at the first
  /// difference.
  [[nodiscard]] RelayPath path_inside(const Region& region, const Coordinates& from,
                                      const Coordinates& to) const {
    std::vector<std::size_t> order(d_);
    for (std::size_t i = 0; i < d_; ++i) order[i] = i;
    do {
      if (auto path = ordered_inside(region, from, to, order)) return *path;
    } while (std::next_permutation(order.begin(), order.end()));
    return fewest_turns(region, from, to);
  }

  [[nodiscard]] std::optional<RelayPath> ordered_inside(
      const Region& region, const Coordinates& from, const Coordinates& to,
      const std::vector<std::size_t>& order) const {
    RelayPath path;
    Coordinates at = from;
    for (const std::size_t i : order) {
      if (at[i] == to[i]) continue;
      const bool up = to[i] > at[i];
      path.push_back({make_port(static_cast<int>(i), up),
                      static_cast<std::uint16_t>(up ? to[i] - at[i] : at[i] - to[i])});
      while (at[i] != to[i]) {
        at[i] = up ? at[i] + 1 : at[i] - 1;
        if (!contains(region, at)) return std::nullopt;
      }
    }
    return path;
  }

  [[nodiscard]] RelayPath fewest_turns(const Region& region, const Coordinates& from,
                                       const Coordinates& to) const {
    // Cells of the box that `from` and `to` span, counted in steps away from `from`.
    Coordinates spans;
    spans.fill(1);
    for (std::size_t i = 0; i < d_; ++i) {
      spans[i] = std::max(from[i], to[i]) - std::min(from[i], to[i]) + 1;
    }
    const auto place = [&](const Coordinates& steps) {
      Coordinates at = from;
      for (std::size_t i = 0; i < d_; ++i) {
        at[i] = to[i] > from[i] ? from[i] + steps[i] : from[i] - steps[i];
      }
      return at;
    };
    // turns[cell * d + i]: fewest turns from the cell to `to` when the next hop goes along i.
    const std::size_t cells = volume(spans);
    std::vector<std::uint32_t> turns(cells * d_, kFar);
    const auto best_after = [&](const Coordinates& steps, std::size_t i) {
      Coordinates next = steps;
      ++next[i];
      if (next[i] == spans[i] || !contains(region, place(next))) return kFar;
      const std::size_t there = cell(spans, next);
      if (there + 1 == cells) return std::uint32_t{0};
      std::uint32_t best = kFar;
      for (std::size_t j = 0; j < d_; ++j) {
        best = std::min(best, turns[there * d_ + j] + (i == j ? 0 : 1));
      }
      return best;
    };
    for (std::size_t here = cells - 1; here-- > 0;) {
      Coordinates steps{};
      std::size_t rest = here;
      for (std::size_t i = 0; i < d_; ++i) {
        steps[i] = static_cast<std::uint32_t>(rest % spans[i]);
        rest /= spans[i];
      }
      for (std::size_t i = 0; i < d_; ++i) turns[here * d_ + i] = best_after(steps, i);
    }
    RelayPath path;
    Coordinates steps{};
    std::size_t along = d_;  // none yet
    while (cell(spans, steps) + 1 < cells) {
      std::size_t best = d_;
      std::uint32_t least = kFar;
      for (std::size_t i = 0; i < d_; ++i) {
        const std::uint32_t turn = along != d_ && i != along ? 1 : 0;
        const std::uint32_t cost = turns[cell(spans, steps) * d_ + i] + turn;
        if (cost < least) {
          least = cost;
          best = i;
        }
      }
      if (best == d_) throw std::logic_error("min-tcd: a region is not geodesic");
      if (best != along)
        path.push_back({make_port(static_cast<int>(best), to[best] > from[best]), 0});
      ++path.back().hops;
      ++steps[best];
      along = best;
    }
    return path;
  }

  std::size_t d_;
  /// Table entries in all.
  std::uint64_t cells_ = 0;
  const Solution* mesh_ = nullptr;
  std::unordered_map<std::string, std::unique_ptr<Solution>> solutions_;
  std::unordered_map<std::string, std::optional<PartPair>> jogs_;
};

}  // namespace

namespace {

/// True when no path is longer than the distance of its ends on the torus.
bool is_minimal_on(const Topology& torus, const Topology& mesh, const RelayProgram& program) {
  return std::all_of(program.sends().begin(), program.sends().end(), [&](const RelaySend& send) {
    const RelayPath& path = program.path(send);
    return path_hops(path) == torus.distance(send.from, path_end(mesh, send.from, path));
  });
}

/// The mesh program that a torus plan is translated from: that of the cheapest source, ties by the
/// lower id, among those whose paths are also minimal on the torus. The cheapest of all is not
/// always one: on 5x7x7 a path runs 4 hops along a side of 7.
RelayProgram cheapest_for_torus(const Solver& solver, const Topology& torus) {
  const Topology mesh = Topology::mesh(torus.sides());
  const std::vector<std::uint32_t>& totals = solver.mesh().total;
  std::vector<NodeId> sources(totals.size());
  std::iota(sources.begin(), sources.end(), NodeId{0});
  std::stable_sort(sources.begin(), sources.end(),
                   [&](NodeId a, NodeId b) { return totals[a] < totals[b]; });
  for (const NodeId source : sources) {
    RelayProgram program(source);
    solver.build(mesh, source, program);
    if (is_minimal_on(torus, mesh, program)) return program;
  }
  throw InfeasibleError(fmt::format(
      "min-tcd: no mesh plan of {} has only paths that are minimal on the torus; --topology mesh, "
      "or --algorithm doubling",
      torus.dims_text()));
}

}  // namespace

std::vector<std::uint64_t> min_tcd_map(const Topology& topology) {
  const Solver solver(Topology::mesh(topology.sides()));
  const std::vector<std::uint32_t>& totals = solver.mesh().total;
  if (topology.is_torus()) {
    const NodeId origin = cheapest_for_torus(solver, topology).source();
    return std::vector<std::uint64_t>(totals.size(), totals[origin]);
  }
  return {totals.begin(), totals.end()};
}

Plan plan_min_tcd(const Topology& topology, const BroadcastOptions& options) {
  const Solver solver(Topology::mesh(topology.sides()));
  NodeId origin = options.source;
  RelayProgram program(options.source);
  program.clock = options.clock;
  if (topology.is_torus()) {
    const RelayProgram on_mesh = cheapest_for_torus(solver, topology);
    origin = on_mesh.source();
    const Translation translate(topology, origin, options.source);
    for (std::uint32_t step = 1; step <= on_mesh.steps(); ++step) {
      for (const RelaySend& send : on_mesh.sends(step)) {
        program.add_send(translate(send.from), on_mesh.path(send));
      }
      program.end_step();
    }
  } else {
    solver.build(topology, origin, program);
  }
  Plan plan = make_broadcast_plan(topology, "min-tcd", std::move(program));
  plan.expected.analytic_steps = plan.expected.lower_bound_steps;
  plan.expected.analytic_tcd = solver.mesh().total[origin];
  plan.expected.analytic_cycles = relay_cycles(topology, plan.program.as<RelayProgram>());
  return plan;
}

}  // namespace gossamer
