// SPDX-License-Identifier: Apache-2.0
#include "gossamer/report/delay_plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace gossamer {

namespace {

constexpr double kWidth = 720;
constexpr double kHeight = 440;
constexpr double kLeft = 70;
constexpr double kRight = 20;
constexpr double kTop = 50;
constexpr double kBottom = 60;
/// Told apart by the colour-blind too (Okabe & Ito).
constexpr std::array<std::string_view, 6> kColours = {"#0072b2", "#d55e00", "#009e73",
                                                      "#cc79a7", "#e69f00", "#56b4e9"};

/// On a dark screen light on dark, in the same hues.
constexpr std::string_view kDark =
    "@media screen and (prefers-color-scheme: dark) { svg { filter: invert(0.9) "
    "hue-rotate(180deg); "
    "} }";

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

/// Where loads and delays stand on the page.
class Frame {
 public:
  explicit Frame(std::span<const DelayCurve> curves) {
    double low = std::numeric_limits<double>::infinity();
    double high = 0;
    for (const DelayCurve& curve : curves) {
      for (const DynamicPoint& point : curve.points) {
        for (const auto& value : {point.mean_delay, point.delay_bound}) {
          if (!value || (!point.stable && value == point.mean_delay)) continue;
          low = std::min(low, *value);
          high = std::max(high, *value);
        }
      }
    }
    if (high == 0) low = high = 1;
    first_decade_ = static_cast<int>(std::floor(std::log10(low)));
    last_decade_ = std::max(first_decade_ + 1, static_cast<int>(std::ceil(std::log10(high))));
  }
  [[nodiscard]] int first_decade() const { return first_decade_; }
  [[nodiscard]] int last_decade() const { return last_decade_; }
  [[nodiscard]] static double x(double load) {
    return kLeft + std::clamp(load, 0.0, 1.0) * (kWidth - kLeft - kRight);
  }
  [[nodiscard]] double y(double delay) const {
    const double share = (std::log10(delay) - first_decade_) / (last_decade_ - first_decade_);
    return kHeight - kBottom - std::clamp(share, 0.0, 1.0) * (kHeight - kTop - kBottom);
  }

 private:
  int first_decade_ = 0;
  int last_decade_ = 1;
};

void line(std::string& svg, double x1, double y1, double x2, double y2, std::string_view style) {
  svg += fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" {}/>\n", x1, y1,
                     x2, y2, style);
}

void text(std::string& svg, double x, double y, std::string_view anchor, std::string_view words) {
  svg += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>\n", x, y, anchor,
                     words);
}

void draw_axes(std::string& svg, const Frame& frame) {
  constexpr std::string_view kGrid = "stroke=\"#ddd\"";
  for (int tenth = 0; tenth <= 10; ++tenth) {
    const double at = Frame::x(tenth / 10.0);
    line(svg, at, kTop, at, kHeight - kBottom, kGrid);
    text(svg, at, kHeight - kBottom + 18, "middle", fmt::format("{:.1f}", tenth / 10.0));
  }
  for (int decade = frame.first_decade(); decade <= frame.last_decade(); ++decade) {
    for (int digit = 1; digit <= 9; ++digit) {
      const double delay = digit * std::pow(10.0, decade);
      if (decade == frame.last_decade() && digit > 1) break;
      line(svg, kLeft, frame.y(delay), kWidth - kRight, frame.y(delay), kGrid);
      if (digit == 1 || digit == 2 || digit == 5) {
        text(svg, kLeft - 8, frame.y(delay) + 4, "end", fmt::format("{:g}", delay));
      }
    }
  }
  text(svg, (kLeft + kWidth - kRight) / 2, kHeight - 20, "middle", "load (utilization)");
  svg += fmt::format(
      "<text transform=\"translate(18,{:.1f}) rotate(-90)\" text-anchor=\"middle\">delay "
      "(units)</text>\n",
      (kTop + kHeight - kBottom) / 2);
}

void draw_curve(std::string& svg, const Frame& frame, const DelayCurve& curve,
                std::string_view colour) {
  std::string means;
  std::string bounds;
  std::string marks;
  for (const DynamicPoint& point : curve.points) {
    const double x = Frame::x(point.load);
    if (point.delay_bound) bounds += fmt::format("{:.1f},{:.1f} ", x, frame.y(*point.delay_bound));
    if (!point.stable || !point.mean_delay) continue;
    const double y = frame.y(*point.mean_delay);
    means += fmt::format("{:.1f},{:.1f} ", x, y);
    marks +=
        fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3\" fill=\"{}\"/>\n", x, y, colour);
    const double spread = point.delay_ci95.value_or(0);
    line(marks, x, frame.y(*point.mean_delay + spread), x,
         frame.y(std::max(*point.mean_delay - spread, *point.mean_delay / 10)),
         fmt::format("stroke=\"{}\"", colour));
  }
  constexpr std::string_view kPolyline =
      "<polyline points=\"{}\" fill=\"none\" stroke=\"{}\"{}/>\n";
  svg += fmt::format(kPolyline, means, colour, " stroke-width=\"1.5\"");
  svg += fmt::format(kPolyline, bounds, colour, " stroke-dasharray=\"6 4\"");
  svg += marks;
  line(svg, Frame::x(curve.load_limit), kTop, Frame::x(curve.load_limit), kHeight - kBottom,
       fmt::format(R"(stroke="{}" stroke-dasharray="1 4")", colour));
}

}  // namespace

std::string delay_csv(std::span<const DynamicPoint> points) {
  const auto cell = [](const std::optional<double>& value) {
    return value ? fmt::format("{:.6g}", *value) : std::string();
  };
  std::string csv = "load,rate,stable,mean_delay,delay_ci95,delay_bound,broadcasts,intervals\n";
  for (const DynamicPoint& point : points) {
    csv +=
        fmt::format("{:.6g},{:.6g},{},{},{},{},{},{}\n", point.load, point.rate,
                    point.stable ? "true" : "false", cell(point.mean_delay), cell(point.delay_ci95),
                    cell(point.delay_bound), point.broadcasts, point.intervals);
  }
  return csv;
}

std::string delay_svg(std::string_view title, std::span<const DelayCurve> curves) {
  const Frame frame(curves);
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:g}\" height=\"{1:g}\" viewBox=\"0 0 "
      "{0:g} {1:g}\" font-family=\"sans-serif\" font-size=\"12\">\n<style>{2}</style>\n<rect "
      "width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n",
      kWidth, kHeight, kDark);
  svg += fmt::format("<text x=\"{:.1f}\" y=\"20\" font-size=\"15\">{}</text>\n", kLeft,
                     escaped(title));
  draw_axes(svg, frame);
  double legend = kLeft;
  for (std::size_t i = 0; i < curves.size(); ++i) {
    const std::string_view colour = kColours[i % kColours.size()];
    draw_curve(svg, frame, curves[i], colour);
    line(svg, legend, 36, legend + 20, 36, fmt::format(R"(stroke="{}" stroke-width="3")", colour));
    text(svg, legend + 26, 40, "start", escaped(curves[i].name));
    legend += 50 + 7 * static_cast<double>(curves[i].name.size());
  }
  return svg + "</svg>\n";
}

}  // namespace gossamer
