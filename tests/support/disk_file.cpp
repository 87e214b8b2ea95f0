#include "support/disk_file.hpp"

#include <algorithm>
#include <utility>

namespace belay::support {

namespace {

void put(std::string& content, std::size_t at, const char* data, std::size_t size) {
    if (content.size() < at + size) content.resize(at + size);
    std::copy_n(data, size, content.begin() + static_cast<std::ptrdiff_t>(at));
}

}  // namespace

std::size_t DiskFile::read(std::size_t at, std::size_t size, char* to) const {
    if (at >= shown_.size()) return 0;
    return shown_.copy(to, size, at);
}

void DiskFile::write(std::size_t at, const char* data, std::size_t size) {
    put(shown_, at, data, size);
    unsynced_.push_back(Change{at, std::string(data, size), false});
}

void DiskFile::truncate(std::size_t size) {
    shown_.resize(size);
    unsynced_.push_back(Change{size, std::string(), true});
}

void DiskFile::sync() {
    for (const Change& change : unsynced_) apply(stored_, change);
    unsynced_.clear();
}

void DiskFile::fail_sync(const Chance& chance) {
    for (const Change& change : unsynced_) apply_some(change, chance);
    unsynced_.clear();
}

void DiskFile::lose_power(const Chance& chance) {
    fail_sync(chance);
    shown_ = stored_;
}

void DiskFile::damage(std::size_t at, const std::string& bytes) {
    put(shown_, at, bytes.data(), bytes.size());
    put(stored_, at, bytes.data(), bytes.size());
}

void DiskFile::apply(std::string& content, const Change& change) {
    if (change.truncation) {
        content.resize(change.at);
    } else {
        put(content, change.at, change.bytes.data(), change.bytes.size());
    }
}

void DiskFile::apply_some(const Change& change, const Chance& chance) {
    const std::uint64_t fate = chance() % 3;
    if (fate == 0) return;
    if (fate == 1 || change.truncation) {
        apply(stored_, change);
        return;
    }
    for (std::size_t done = 0; done < change.bytes.size();) {
        const std::size_t at = change.at + done;
        const std::size_t size = std::min(change.bytes.size() - done, kSector - at % kSector);
        if (chance() % 2 == 0) put(stored_, at, change.bytes.data() + done, size);
        done += size;
    }
}

}  // namespace belay::support
