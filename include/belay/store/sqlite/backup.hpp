// Copies a file that is in use.
#pragma once

#include <belay/error.hpp>

#include <cstdint>
#include <string>

namespace belay::sqlite {

/// Writes a copy of the file `path`, as of one moment, to `copy`, and returns the size of the copy
/// in bytes. Workers and clients go on meanwhile; the log grows as long as it takes. The copy
/// appears under its name when it is complete and on the disk. It has no log, and only its owner
/// may read and write it. If the process is killed, it leaves a file .belay-backup-* in the
/// directory of the copy, and `copy` is not there.
///
/// Needs no right to write to `path`. Never overwrites: fails with `invalid_argument` if `copy` or
/// a file that would belong to it is there. Fails with `not_found` if there is no file `path`,
/// `unsupported` if it is empty or not Belay's, and `unavailable` if the copy cannot be written.
[[nodiscard]] Result<std::uint64_t> back_up(const std::string& path, const std::string& copy);

}  // namespace belay::sqlite
