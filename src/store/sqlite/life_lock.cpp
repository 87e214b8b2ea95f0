#include "store/sqlite/life_lock.hpp"

#include "store/sqlite/side_file.hpp"
#include <belay/detail/mutex.hpp>

#include <fcntl.h>

#include <fstream>
#include <utility>
#include <vector>

namespace belay::sqlite {

namespace {

/// The offset of the first lock. Ids have more bits than an offset in a file. If two holders share
/// a byte, they are found dead only when both are dead.
constexpr std::uint64_t kFirst = 1ULL << 62U;

struct flock byte_of(short type, std::uint64_t holder) {
    struct flock lock{};
    lock.l_type = type;
    lock.l_whence = SEEK_SET;
    lock.l_start = static_cast<off_t>(kFirst | (holder & (kFirst - 1)));
    // The very last byte cannot be locked, because its end is no offset.
    if (lock.l_start == static_cast<off_t>(kFirst | (kFirst - 1))) --lock.l_start;
    lock.l_len = 1;
    return lock;
}

std::string boot_id() {
    std::ifstream file("/proc/sys/kernel/random/boot_id");
    std::string id;
    std::getline(file, id);
    return id;
}

}  // namespace

std::optional<LifePlace> life_place_of(int descriptor) {
    static const std::string kBoot = boot_id();
    const auto file = identity_of(descriptor);
    if (!file || kBoot.empty()) return std::nullopt;
    return LifePlace{kBoot, *file};
}

bool is_life_held(int descriptor, std::uint64_t holder) {
    struct flock lock = byte_of(F_WRLCK, holder);
    // A lock that cannot be examined is not known to be free.
    return ::fcntl(descriptor, F_OFD_GETLK, &lock) != 0 || lock.l_type != F_UNLCK;
}

LifeLock::Open::Open(const std::string& path)
    : descriptor(path, kOpeningBeside, 0), lifeline(descriptor.get()) {}

LifeLock::LifeLock(const std::string& database)
    : open_(std::make_unique<Open>(database + "-lock")),
      place_(life_place_of(open_->descriptor.get())) {}

bool LifeLock::hold(std::uint64_t holder) const {
    if (!place_) return false;
    // A shared lock: another store of this process may hold it, too.
    struct flock lock = byte_of(F_RDLCK, holder);
    return ::fcntl(open_->descriptor.get(), F_OFD_SETLK, &lock) == 0;
}

void LifeLock::leave_behind() {
    struct Kept {
        detail::Mutex mutex;
        std::vector<std::unique_ptr<Open>> all BELAY_GUARDED_BY(mutex);
    };
    // Never destroyed: a store may be, while the process ends.
    static auto* const kKept = new Kept();
    const detail::MutexLock lock(kKept->mutex);
    kKept->all.push_back(std::move(open_));
}

}  // namespace belay::sqlite
