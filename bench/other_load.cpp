#include "other_load.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <numeric>
#include <string>

namespace belay::bench {

double cpu_seconds(int who) {
    rusage usage{};
    ::getrusage(who, &usage);
    const auto seconds = [](const timeval& time) {
        return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
    };
    return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

LoadWatch::LoadWatch() : begin_(read()) {}

LoadWatch::Times LoadWatch::read() {
    // As in /proc/stat: user, nice, system, idle, iowait, irq, softirq, steal.
    std::array<double, 8> ticks{};
    std::ifstream stat("/proc/stat");
    std::string word;
    stat >> word;
    for (double& count : ticks) stat >> count;
    const auto per_second = static_cast<double>(::sysconf(_SC_CLK_TCK));
    const double all = std::accumulate(ticks.begin(), ticks.end(), 0.0) / per_second;
    const double idle = (ticks[3] + ticks[4]) / per_second;
    const double stolen = ticks[7] / per_second;
    return Times{
        all, all - idle - stolen, stolen, cpu_seconds(RUSAGE_SELF) + cpu_seconds(RUSAGE_CHILDREN)};
}

OtherLoad LoadWatch::so_far() const {
    const Times now = read();
    const double all = now.all - begin_.all;
    if (!(all > 0)) return {};
    const double others = now.busy - begin_.busy - (now.own - begin_.own);
    return OtherLoad{std::max(0.0, others) / all, (now.stolen - begin_.stolen) / all};
}

}  // namespace belay::bench
