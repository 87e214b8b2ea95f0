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

/// Writes the file anew without its unused pages. Needs as much free space as the file will have in
/// SQLite's directory for temporary files, and as much again beside the file, and takes a while for
/// every gigabyte. Nobody else can write meanwhile: they wait for their lock_timeout and then hear
/// `busy`, which workers and clients try again. Leases cannot be renewed: those that run out are
/// lost, and what they were for is stopped and begins again. Reading goes on. `wait` is for
/// others that write, or read the log, when it begins and ends; after it the answer is `busy`.
/// Interrupted, also by a loss of power, it leaves the file as it was. `not_found` if there is no
/// file, `unsupported` if it is empty or not Belay's, `invalid_argument` if it is no regular file
/// or has several names; never makes one.
[[nodiscard]] Result<Compacted> compact(const std::string& path, Millis wait);

}  // namespace belay::sqlite
