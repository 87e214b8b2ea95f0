// Gives the space of deleted rows back to the file system.
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
/// SQLite's directory for temporary files, and as much again beside the file. Takes a while for
/// every gigabyte. Nobody else can write meanwhile: writers wait for their lock_timeout and then
/// get `busy`, which workers and clients retry. Leases cannot be renewed: expired ones are lost,
/// and their work is stopped and begins again. Reading goes on. `wait` is the time to wait for
/// others that write, or read the log, at the beginning and the end; after it the answer is `busy`.
/// If interrupted, also by a loss of power, it leaves the file as it was. Errors: `not_found` if
/// there is no file (it never makes one), `unsupported` if it is empty or not Belay's,
/// `invalid_argument` if it is no regular file or has several names.
[[nodiscard]] Result<Compacted> compact(const std::string& path, Millis wait);

}  // namespace belay::sqlite
