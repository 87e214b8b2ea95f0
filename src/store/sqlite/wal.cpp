#include "store/sqlite/wal.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

namespace belay::sqlite {

namespace {

constexpr std::int64_t kPageBytes = 8192;
constexpr std::int64_t kHeaderBytes = 32;
constexpr std::int64_t kFrameHeaderBytes = 24;
constexpr std::int64_t kFrameBytes = kFrameHeaderBytes + kPageBytes;
/// The offsets of the two numbers that tell a log from the one before it in the same file: in the
/// log's header and in that of each frame.
constexpr std::int64_t kSaltAt = 16;
constexpr std::int64_t kFrameSaltAt = 8;
using Salt = std::array<char, 8>;
/// The offset of the number of committed frames in the index of the log, which is in shared memory.
constexpr std::size_t kCommittedAt = 16;
/// The log is kept so far ahead of its use, and grows by this much at a time.
constexpr std::uint32_t kAheadPages = 256;
constexpr std::uint32_t kStepPages = 512;
/// The growth of the log before the next checkpoint, after a reader kept one from finishing.
constexpr std::uint32_t kRetryPages = 1'000;

/// Returns null if there is no log yet.
sqlite3_file* log_file(Connection& connection) {
    sqlite3_file* file = nullptr;
    sqlite3_file_control(
        connection.handle(), "main", SQLITE_FCNTL_JOURNAL_POINTER, static_cast<void*>(&file));
    return file == nullptr || file->pMethods == nullptr ? nullptr : file;
}

/// Reads and writes the log, for code that must know its format.
class LogFile {
public:
    explicit LogFile(sqlite3_file& file) : file_(file) {
        check(file_.pMethods->xFileSize(&file_, &size_), "size of the log");
    }

    [[nodiscard]] std::int64_t size() const noexcept { return size_; }
    [[nodiscard]] Salt salt_at(std::int64_t at) {
        Salt salt{};
        check(file_.pMethods->xRead(&file_, salt.data(), static_cast<int>(salt.size()), at),
              "read the log");
        return salt;
    }
    void write_again(std::int64_t at, std::int64_t bytes) {
        const int size = static_cast<int>(bytes);
        buffer_.resize(static_cast<std::size_t>(bytes));
        check(file_.pMethods->xRead(&file_, buffer_.data(), size, at), "read the log");
        check(file_.pMethods->xWrite(&file_, buffer_.data(), size, at), "write the log again");
    }
    /// Ends the log at `at` for every reader.
    void end_at(std::int64_t at) {
        const std::array<char, kFrameHeaderBytes> nothing{};
        check(file_.pMethods->xWrite(&file_, nothing.data(), static_cast<int>(nothing.size()), at),
              "end the log");
    }
    void sync() { check(file_.pMethods->xSync(&file_, SQLITE_SYNC_NORMAL), "sync the log"); }

private:
    static void check(int code, const char* doing) {
        if (code != SQLITE_OK) fail(code, nullptr, doing);
    }

    sqlite3_file& file_;
    sqlite3_int64 size_ = 0;
    std::vector<char> buffer_;
};

/// Returns the number of committed frames of the log, as all who have the file open see it.
std::int64_t committed_frames(Connection& connection) {
    sqlite3_file* file = nullptr;
    sqlite3_file_control(
        connection.handle(), "main", SQLITE_FCNTL_FILE_POINTER, static_cast<void*>(&file));
    constexpr int kRegionBytes = 32 * 1024;
    volatile void* index = nullptr;
    const int code = file->pMethods->xShmMap(file, 0, kRegionBytes, 0, &index);
    if (code != SQLITE_OK) fail(code, nullptr, "map the index of the log");
    if (index == nullptr) return 0;
    std::uint32_t frames = 0;
    std::memcpy(
        &frames, static_cast<char*>(const_cast<void*>(index)) + kCommittedAt, sizeof(frames));
    return frames;
}

}  // namespace

Wal::Wal(Connection& connection, const SqliteOptions& options)
    : connection_(connection),
      checkpoint_pages_(options.checkpoint_pages()),
      preallocate_(options.preallocate()),
      next_checkpoint_(checkpoint_pages_) {
    sqlite3_wal_hook(
        connection_.handle(),
        [](void* self, sqlite3*, const char*, int pages) {
            static_cast<Wal*>(self)->pages_ = static_cast<std::uint32_t>(pages);
            return SQLITE_OK;
        },
        this);
}

Wal::~Wal() { sqlite3_wal_hook(connection_.handle(), nullptr, nullptr); }

bool Wal::wants_maintenance() const noexcept {
    if (pages_ >= next_checkpoint_) return true;
    return preallocate_ && pages_ > 0 && grown_to_ < checkpoint_pages_ &&
           pages_ + kAheadPages > grown_to_;
}

bool Wal::maintain() {
    if (pages_ >= next_checkpoint_ && !checkpoint()) return false;
    if (preallocate_) grow();
    return true;
}

bool Wal::checkpoint() {
    int in_log = 0;
    int written_back = 0;
    const int code = sqlite3_wal_checkpoint_v2(
        connection_.handle(), "main", SQLITE_CHECKPOINT_PASSIVE, &in_log, &written_back);
    const bool complete = code == SQLITE_OK && in_log == written_back;
    // If the checkpoint is complete, the next commit begins the log anew.
    next_checkpoint_ = complete ? checkpoint_pages_ : pages_ + kRetryPages;
    if (complete) pages_ = 0;
    return code == SQLITE_OK || (code & 0xff) == SQLITE_BUSY || (code & 0xff) == SQLITE_LOCKED;
}

void Wal::grow() {
    // This is not needed for correctness, so it may fail.
    sqlite3_file* const file = log_file(connection_);
    if (file == nullptr) return;
    sqlite3_int64 size = 0;
    if (file->pMethods->xFileSize(file, &size) != SQLITE_OK) return;

    const std::uint32_t wanted = std::min(pages_ + kStepPages, checkpoint_pages_ + kAheadPages);
    const std::int64_t end = kHeaderBytes + wanted * kFrameBytes;
    // SQLite takes zeros behind the last frame for no frame. They are written, not only reserved:
    // the sync of a commit must otherwise turn an unwritten block into a written one.
    static const std::vector<char> kZeros(64 * 1024);
    while (size < end) {
        const auto bytes = std::min<std::int64_t>(end - size, std::ssize(kZeros));
        if (file->pMethods->xWrite(file, kZeros.data(), static_cast<int>(bytes), size) !=
            SQLITE_OK) {
            break;
        }
        size += bytes;
    }
    grown_to_ = wanted;
}

bool log_is_cut_off(Connection& connection) {
    sqlite3_file* const file = log_file(connection);
    if (file == nullptr) return false;
    const std::int64_t frames = committed_frames(connection);
    return frames > 0 && LogFile(*file).size() < kHeaderBytes + frames * kFrameBytes;
}

void write_log_again(Connection& connection) {
    sqlite3_file* const file = log_file(connection);
    if (file == nullptr) return;
    LogFile log(*file);
    if (log.size() < kHeaderBytes) return;
    const Salt salt = log.salt_at(kSaltAt);
    const std::int64_t end = kHeaderBytes + committed_frames(connection) * kFrameBytes;
    log.write_again(0, kHeaderBytes);
    for (std::int64_t at = kHeaderBytes; at < end; at += kFrameBytes) {
        log.write_again(at, kFrameBytes);
    }
    // The failed commit behind it must not come back when the index is next made from the log.
    if (end + kFrameBytes <= log.size() && log.salt_at(end + kFrameSaltAt) == salt) log.end_at(end);
    log.sync();
}

}  // namespace belay::sqlite
