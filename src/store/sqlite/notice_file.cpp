#include "store/sqlite/notice_file.hpp"

#include "store/sqlite/side_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <random>
#include <span>
#include <utility>
#include <vector>

namespace belay::sqlite {

namespace {

enum class Kind : std::uint16_t {
    instances = 1,
    activities = 2,
    stopped = 3,
    ended = 4,
    custom_status = 5,
    run_changed = 6,
    settled = 7,
    key_values = 8
};

/// The notice as it is in the file. All processes are on one machine.
struct RingSlot {
    Kind kind = Kind::instances;
    std::uint16_t shard = 0;
    std::uint32_t origin = 0;
    std::uint64_t first = 0;   ///< The holder of a token, or the key of a run.
    std::uint64_t second = 0;  ///< The serial of a token, or a RunChange.
};
static_assert(sizeof(RingSlot) == 24);

/// The number of slots. A mass cancel of 10,000 takes less than one lap.
constexpr std::uint64_t kSlots = 16'384;
/// The offset of the first slot. The counter is before it.
constexpr off_t kFirstSlot = 64;

off_t place_of(std::uint64_t number) {
    return kFirstSlot + static_cast<off_t>((number % kSlots) * sizeof(RingSlot));
}

std::vector<RingSlot> to_ring(const store::Notices& notices, std::uint32_t origin) {
    std::vector<RingSlot> ring;
    const auto add_runs = [&](Kind kind, const std::vector<RunRef>& runs) {
        for (const RunRef run : runs) {
            ring.push_back(RingSlot{kind, run.shard.value, origin, run.key.value, 0});
        }
    };
    ring.reserve(notices.stopped.size() + notices.ended.size() + notices.settled.size() +
                 notices.custom_status.size() + notices.key_values.size() + notices.runs.size() +
                 2);
    for (const LeaseToken token : notices.stopped) {
        ring.push_back(RingSlot{Kind::stopped, 0, origin, token.holder, token.serial});
    }
    if (notices.activities_ready) ring.push_back(RingSlot{Kind::activities, 0, origin, 0, 0});
    if (notices.instances_ready) ring.push_back(RingSlot{Kind::instances, 0, origin, 0, 0});
    add_runs(Kind::ended, notices.ended);
    add_runs(Kind::settled, notices.settled);
    add_runs(Kind::custom_status, notices.custom_status);
    add_runs(Kind::key_values, notices.key_values);
    for (const store::RunNotice& one : notices.runs) {
        ring.push_back(RingSlot{Kind::run_changed,
                                one.run.shard.value,
                                origin,
                                one.run.key.value,
                                static_cast<std::uint64_t>(one.change)});
    }
    // The first notices are the urgent ones.
    if (ring.size() > kSlots) ring.resize(kSlots);
    return ring;
}

void add(store::Notices& notices, const RingSlot& notice) {
    const RunRef run{Shard{notice.shard}, RunKey{notice.first}};
    switch (notice.kind) {
        case Kind::instances: notices.instances_ready = true; return;
        case Kind::activities: notices.activities_ready = true; return;
        case Kind::stopped: notices.stopped.push_back({notice.first, notice.second}); return;
        case Kind::ended: notices.ended.push_back(run); return;
        case Kind::settled: notices.settled.push_back(run); return;
        case Kind::custom_status: notices.custom_status.push_back(run); return;
        case Kind::key_values: notices.key_values.push_back(run); return;
        case Kind::run_changed: notices.changed(run, static_cast<RunChange>(notice.second)); return;
    }
    // The notice is of a later release, or was overwritten while it was read.
}

}  // namespace

Result<NoticeFile> NoticeFile::open(const std::string& database) {
    std::string path = database + "-news";
    const int fd = ::open(path.c_str(), kOpeningBeside | O_CREAT, kModeOfNewFiles);
    if (fd < 0) return cannot_open(path, database, errno);
    NoticeFile news(fd, std::move(path), std::random_device()());
    if (auto own = check_own(news.path(), fd); !own) return own.error();
    take_access_of(database, fd);
    return news;
}

Result<NoticeFile> NoticeFile::reader() const {
    const int fd = ::open(path_.c_str(), kOpeningBeside);
    if (fd >= 0) return NoticeFile(fd, path_, origin_);
    return Error(Errc::unavailable, "cannot open " + path_ + ": " + std::strerror(errno));
}

NoticeFile::NoticeFile(NoticeFile&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)), path_(std::move(other.path_)), origin_(other.origin_) {}

NoticeFile::~NoticeFile() {
    if (fd_ >= 0) ::close(fd_);
}

void NoticeFile::publish(const store::Notices& notices) {
    const std::vector<RingSlot> ring = to_ring(notices, origin_);
    if (ring.empty()) return;
    const std::uint64_t before = position();
    for (std::size_t done = 0; done < ring.size();) {
        const std::uint64_t number = before + done;
        const std::size_t count =
            std::min<std::size_t>(ring.size() - done, kSlots - number % kSlots);
        const std::size_t bytes = count * sizeof(RingSlot);
        // Notices are hints: one that cannot be written is missing, which is allowed.
        if (::pwrite(fd_, &ring[done], bytes, place_of(number)) != static_cast<ssize_t>(bytes)) {
            return;
        }
        done += count;
    }
    const std::uint64_t after = before + ring.size();
    [[maybe_unused]] const ssize_t written = ::pwrite(fd_, &after, sizeof(after), 0);
}

std::uint64_t NoticeFile::position() const {
    std::uint64_t position = 0;
    const ssize_t bytes = ::pread(fd_, &position, sizeof(position), 0);
    return bytes == sizeof(position) ? position : 0;
}

store::Notices NoticeFile::read(std::uint64_t& position) const {
    store::Notices notices;
    const std::uint64_t end = this->position();
    if (end < position || end - position > kSlots) {
        // Lapped, or the file was begun anew: look at everything.
        notices.instances_ready = true;
        notices.activities_ready = true;
        position = end > kSlots ? end - kSlots : 0;
    }
    std::array<RingSlot, 512> slots;
    while (position < end) {
        const std::size_t count =
            std::min<std::uint64_t>({end - position, kSlots - position % kSlots, slots.size()});
        const std::size_t bytes = count * sizeof(RingSlot);
        const ssize_t got = ::pread(fd_, slots.data(), bytes, place_of(position));
        position += count;
        if (got != static_cast<ssize_t>(bytes)) continue;
        for (const RingSlot& notice : std::span(slots).first(count)) {
            if (notice.origin != origin_) add(notices, notice);
        }
    }
    return notices;
}

}  // namespace belay::sqlite
