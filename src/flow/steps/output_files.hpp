// The files that programs write their results to: $BELAY_OUTPUT.
#pragma once

#include <belay/detail/mutex.hpp>
#include <belay/error.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace belay::flow {

/// A private directory of this process, made when it is first needed, for one file per attempt. It
/// is locked as long as the process lives. Making one removes those of dead processes, so
/// that nothing stays for long after a SIGKILL either.
class OutputFolder {
public:
    /// `parent` is a directory; empty: $TMPDIR, or /tmp.
    explicit OutputFolder(std::string parent);
    OutputFolder(const OutputFolder&) = delete;
    OutputFolder& operator=(const OutputFolder&) = delete;
    ~OutputFolder();

    /// Makes an empty file that only this user can read, and returns its path.
    [[nodiscard]] Result<std::string> make_file() BELAY_EXCLUDES(mutex_);

private:
    [[nodiscard]] Result<void> make_folder() BELAY_REQUIRES(mutex_);

    const std::string parent_;
    detail::Mutex mutex_;
    std::string path_ BELAY_GUARDED_BY(mutex_);
    int lock_ BELAY_GUARDED_BY(mutex_) = -1;
    std::uint64_t count_ BELAY_GUARDED_BY(mutex_) = 0;
};

/// The file of one attempt, removed in the end.
class OutputFile {
public:
    /// Throws OperationFailed, of a kind that is retried, if there can be no file.
    explicit OutputFile(std::shared_ptr<OutputFolder> folder);
    OutputFile(const OutputFile&) = delete;
    OutputFile& operator=(const OutputFile&) = delete;
    ~OutputFile();

    [[nodiscard]] const std::string& path() const noexcept { return path_; }
    /// Returns its content; none if nothing was written to it. Throws OperationFailed if it is
    /// longer than `most`, or is no file any more.
    [[nodiscard]] std::optional<std::string> read(std::size_t most) const;

private:
    std::shared_ptr<OutputFolder> folder_;
    std::string path_;
};

}  // namespace belay::flow
