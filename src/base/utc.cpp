#include "base/utc.hpp"

#include <array>
#include <cstdio>

namespace belay::base {

std::string utc(Timestamp at, char between) {
    using namespace std::chrono;
    constexpr Timestamp kFirst = sys_days(year(0) / January / 1);
    constexpr Timestamp kLast = sys_days(year(9999) / December / 31);
    if (at < kFirst || at > kLast) return "never";
    const auto day = floor<days>(at);
    const year_month_day date(day);
    const hh_mm_ss<Millis> time(at - day);
    std::array<char, 64> text{};
    std::snprintf(text.data(),
                  text.size(),
                  "%04d-%02u-%02u%c%02d:%02d:%02d.%03dZ",
                  static_cast<int>(date.year()),
                  static_cast<unsigned>(date.month()),
                  static_cast<unsigned>(date.day()),
                  between,
                  static_cast<int>(time.hours().count()),
                  static_cast<int>(time.minutes().count()),
                  static_cast<int>(time.seconds().count()),
                  static_cast<int>(time.subseconds().count()));
    return text.data();
}

}  // namespace belay::base
