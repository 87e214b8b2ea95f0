// Gives the space of what was deleted back to the file system.
#pragma once

#include <belay/error.hpp>
#include <belay/time.hpp>

#include <cstdint>
#include <string>

namespace belay::sqlite {

/// Bytes on the disk, with the log.
struct Compacted {
    std::uint64_t before = 0;
    std::uint64_t after = 0;
};

/// Writes the file anew without its unused pages. Needs as much free space again as the file will
/// have, twice for a moment, and takes a while for every gigabyte. Nobody else can write meanwhile:
/// they wait for their lock_timeout and then hear `busy`, which workers and clients try again; what
/// is read goes on. `wait` is for others that write, or read the log, when it begins and ends;
/// after it the answer is `busy`. Interrupted, also by a loss of power, it leaves the file as it
/// was. `not_found` if there is no file; never makes one.
[[nodiscard]] Result<Compacted> compact(const std::string& path, Millis wait);

}  // namespace belay::sqlite
