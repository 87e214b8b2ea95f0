#include "store/sqlite/wal.hpp"

#include <algorithm>
#include <vector>

namespace belay::sqlite {

namespace {

constexpr std::int64_t kPageBytes = 8192;
constexpr std::int64_t kFrameBytes = kPageBytes + 24;
constexpr std::int64_t kHeaderBytes = 32;
/// The log is kept so far ahead of its use, and grows by so much at a time.
constexpr std::uint32_t kAheadPages = 256;
constexpr std::uint32_t kStepPages = 512;
/// After a reader kept a checkpoint from finishing, the log may grow by this much before the next.
constexpr std::uint32_t kRetryPages = 1'000;

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

void Wal::maintain() {
    if (pages_ >= next_checkpoint_) checkpoint();
    if (preallocate_) grow();
}

void Wal::checkpoint() {
    int in_log = 0;
    int written_back = 0;
    const int code = sqlite3_wal_checkpoint_v2(
        connection_.handle(), "main", SQLITE_CHECKPOINT_PASSIVE, &in_log, &written_back);
    const bool complete = code == SQLITE_OK && in_log == written_back;
    // Complete, the next commit begins the log anew.
    next_checkpoint_ = complete ? checkpoint_pages_ : pages_ + kRetryPages;
    if (complete) pages_ = 0;
}

void Wal::grow() {
    sqlite3_file* file = nullptr;
    sqlite3_file_control(
        connection_.handle(), "main", SQLITE_FCNTL_JOURNAL_POINTER, static_cast<void*>(&file));
    if (file == nullptr || file->pMethods == nullptr) return;
    sqlite3_int64 size = 0;
    if (file->pMethods->xFileSize(file, &size) != SQLITE_OK) return;

    const std::uint32_t wanted = std::min(pages_ + kStepPages, checkpoint_pages_ + kAheadPages);
    const std::int64_t end = kHeaderBytes + wanted * kFrameBytes;
    // Zeros behind the last frame are no frame to SQLite. They are written, not only reserved: a
    // block that was never written is turned into a written one by the sync of a commit.
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

}  // namespace belay::sqlite
