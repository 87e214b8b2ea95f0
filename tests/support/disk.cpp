#include "support/disk.hpp"

#include "support/disk_node.hpp"
#include "support/disk_vfs.hpp"

#include <cstring>
#include <new>
#include <numeric>
#include <utility>

namespace belay::support {

Disk::Disk(std::string directory, Chance chance)
    : directory_(std::move(directory)), chance_(std::move(chance)) {
    DiskVfs::get().mount(directory_, *this);
}

Disk::~Disk() { DiskVfs::get().unmount(directory_); }

// ---- Failures ----------------------------------------------------------------------------------

void Disk::fail(Operation operation, int code, int count, int after, Files files) {
    const std::lock_guard lock(mutex_);
    plans_[static_cast<std::size_t>(operation)] = Plan{code, after, count, files};
}

void Disk::heal() {
    const std::lock_guard lock(mutex_);
    plans_ = {};
    full_ = false;
    power_left_.reset();
}

void Disk::set_full(bool full) {
    const std::lock_guard lock(mutex_);
    full_ = full;
}

void Disk::set_lying(bool lying) {
    const std::lock_guard lock(mutex_);
    lying_ = lying;
}

bool Disk::set_quiet(bool quiet) {
    const std::lock_guard lock(mutex_);
    return std::exchange(quiet_, quiet);
}

void Disk::power_off_after(int operations) {
    const std::lock_guard lock(mutex_);
    power_left_ = operations;
    if (operations == 0) powered_ = false;
}

bool Disk::powered() const {
    const std::lock_guard lock(mutex_);
    return powered_;
}

void Disk::power_on() {
    const std::lock_guard lock(mutex_);
    forget_users();
    power_left_.reset();
    if (powered_) return;
    powered_ = true;
    for (auto& [name, node] : removed_) {
        if (!nodes_.contains(name) && chance_() % 2 == 0) nodes_.emplace(name, node);
    }
    removed_.clear();
    std::erase_if(nodes_, [&](const auto& entry) {
        return !entry.second->entry_synced && chance_() % 2 == 0;
    });
    for (auto& [name, node] : nodes_) {
        node->data.lose_power(chance_);
        node->entry_synced = true;
    }
}

void Disk::kill_users() {
    const std::lock_guard lock(mutex_);
    forget_users();
}

void Disk::forget_users() {
    for (auto& [name, node] : nodes_) {
        for (Handle* user : std::exchange(node->users, {})) user->node.reset();
        node->shared.reset();
        node->lost_syncs = 0;
    }
}

int Disk::failures() const {
    const std::lock_guard lock(mutex_);
    return static_cast<int>(std::accumulate(failures_.begin(), failures_.end(), std::uint64_t{0}));
}

std::uint64_t Disk::failures(Operation operation) const {
    const std::lock_guard lock(mutex_);
    return failures_[static_cast<std::size_t>(operation)];
}

std::uint64_t Disk::operations() const {
    const std::lock_guard lock(mutex_);
    return operations_;
}

void Disk::forget_files() {
    const std::lock_guard lock(mutex_);
    nodes_.clear();
    removed_.clear();
}

void Disk::forget_log(const std::string& path) {
    const std::lock_guard lock(mutex_);
    nodes_.erase(path + "-wal");
}

void Disk::put_file(const std::string& path, const std::string& content) {
    const std::lock_guard lock(mutex_);
    auto node = std::make_shared<Node>();
    node->name = path;
    node->entry_synced = true;
    node->data.damage(0, content);
    nodes_[path] = std::move(node);
}

DiskFile* Disk::file(const std::string& path) {
    const std::lock_guard lock(mutex_);
    const auto found = nodes_.find(path);
    return found == nodes_.end() ? nullptr : &found->second->data;
}

bool Disk::usable(const Handle& handle) const { return powered_ && handle.node != nullptr; }

int Disk::planned(Operation operation, const Handle& handle) {
    Plan& plan = plans_[static_cast<std::size_t>(operation)];
    if (quiet_ || plan.left <= 0 || (plan.files == Files::log && !handle.node->log))
        return SQLITE_OK;
    if (plan.after > 0) {
        --plan.after;
        return SQLITE_OK;
    }
    --plan.left;
    ++failures_[static_cast<std::size_t>(operation)];
    return plan.code;
}

bool Disk::spend() {
    if (quiet_) return powered_;
    ++operations_;
    if (!power_left_) return true;
    if (*power_left_ > 0) --*power_left_;
    powered_ = *power_left_ > 0;
    return powered_;
}

// ---- Names -------------------------------------------------------------------------------------

int Disk::open(const char* name, sqlite3_file* memory, int flags, int* out) {
    const std::lock_guard lock(mutex_);
    Handle& handle = *new (memory) Handle();
    if (!powered_) return SQLITE_IOERR;
    NodePtr node;
    const auto found = name == nullptr ? nodes_.end() : nodes_.find(name);
    if (found != nodes_.end()) {
        node = found->second;
    } else {
        if (name != nullptr && (flags & SQLITE_OPEN_CREATE) == 0) return SQLITE_CANTOPEN;
        if (full_) return SQLITE_CANTOPEN;
        node = std::make_shared<Node>();
        node->name = name == nullptr ? "" : name;
        node->log = (flags & SQLITE_OPEN_WAL) != 0;
        node->journal = node->log || (flags & SQLITE_OPEN_MAIN_JOURNAL) != 0;
        if (name != nullptr) nodes_.emplace(name, node);
    }
    handle.disk = this;
    handle.temporary = (flags & SQLITE_OPEN_DELETEONCLOSE) != 0;
    handle.lost_syncs = node->lost_syncs;
    handle.node = node;
    node->users.push_back(&handle);
    handle.base.pMethods = &DiskVfs::get().methods();
    if (out != nullptr) *out = flags;
    return SQLITE_OK;
}

int Disk::close(Handle& handle) {
    const std::lock_guard lock(mutex_);
    if (handle.node != nullptr) {
        std::erase(handle.node->users, &handle);
        if (handle.temporary) nodes_.erase(handle.node->name);
    }
    handle.~Handle();
    return SQLITE_OK;
}

int Disk::remove(const std::string& name, bool sync) {
    const std::lock_guard lock(mutex_);
    const auto found = nodes_.find(name);
    if (!powered_) return SQLITE_IOERR_DELETE;
    if (found == nodes_.end()) return SQLITE_IOERR_DELETE_NOENT;
    if (!spend()) return SQLITE_IOERR_DELETE;
    if (found->second->entry_synced) removed_[name] = found->second;
    nodes_.erase(found);
    if (sync) sync_directory();
    return SQLITE_OK;
}

bool Disk::exists(const std::string& name) {
    const std::lock_guard lock(mutex_);
    return nodes_.contains(name);
}

void Disk::sync_directory() {
    for (auto& [name, node] : nodes_) node->entry_synced = true;
    removed_.clear();
}

// ---- Contents ----------------------------------------------------------------------------------

int Disk::read(Handle& handle, char* to, std::size_t size, std::size_t at) {
    const std::lock_guard lock(mutex_);
    if (!usable(handle)) return SQLITE_IOERR_READ;
    if (const int code = planned(Operation::read, handle); code != SQLITE_OK) return code;
    const std::size_t got = handle.node->data.read(at, size, to);
    if (got == size) return SQLITE_OK;
    std::memset(to + got, 0, size - got);
    return SQLITE_IOERR_SHORT_READ;
}

int Disk::write(Handle& handle, const char* data, std::size_t size, std::size_t at) {
    const std::lock_guard lock(mutex_);
    if (!usable(handle) || !spend()) return SQLITE_IOERR_WRITE;
    int code = planned(Operation::write, handle);
    if (code == SQLITE_OK && full_ && !quiet_ && at + size > handle.node->data.size())
        code = SQLITE_FULL;
    if (code != SQLITE_OK) {
        // It may have got some way.
        const std::size_t sectors = size / DiskFile::kSector;
        const std::size_t part = chance_() % (sectors + 1) * DiskFile::kSector;
        if (!full_ && part > 0) handle.node->data.write(at, data, part);
        return code;
    }
    handle.node->data.write(at, data, size);
    return SQLITE_OK;
}

int Disk::truncate(Handle& handle, std::size_t size) {
    const std::lock_guard lock(mutex_);
    if (!usable(handle) || !spend()) return SQLITE_IOERR_TRUNCATE;
    handle.node->data.truncate(size);
    return SQLITE_OK;
}

int Disk::sync(Handle& handle) {
    const std::lock_guard lock(mutex_);
    if (!usable(handle) || !spend()) return SQLITE_IOERR_FSYNC;
    Node& node = *handle.node;
    if (const int code = planned(Operation::sync, handle); code != SQLITE_OK) {
        node.data.fail_sync(chance_);
        handle.lost_syncs = ++node.lost_syncs;
        return code;
    }
    if (lying_) return SQLITE_OK;
    node.data.sync();
    if (node.journal && !node.entry_synced) sync_directory();
    // As Linux does: everyone who has the file open is told once.
    if (handle.lost_syncs == node.lost_syncs) return SQLITE_OK;
    handle.lost_syncs = node.lost_syncs;
    ++failures_[static_cast<std::size_t>(Operation::sync)];
    return SQLITE_IOERR_FSYNC;
}

// ---- Locks and shared memory -------------------------------------------------------------------

int Disk::lock(Handle& handle, int level) {
    const std::lock_guard lock(mutex_);
    if (!usable(handle)) return SQLITE_IOERR_LOCK;
    if (level <= handle.level) return SQLITE_OK;
    const auto others_have = [&](int least) {
        return handle.node->anyone_else(handle,
                                        [&](const Handle& one) { return one.level >= least; });
    };
    if (others_have(level == SQLITE_LOCK_SHARED ? SQLITE_LOCK_PENDING : SQLITE_LOCK_RESERVED)) {
        return SQLITE_BUSY;
    }
    if (level == SQLITE_LOCK_EXCLUSIVE && others_have(SQLITE_LOCK_SHARED)) {
        handle.level = SQLITE_LOCK_PENDING;
        return SQLITE_BUSY;
    }
    handle.level = level;
    return SQLITE_OK;
}

int Disk::map_shared(
    Handle& handle, std::size_t region, std::size_t size, bool extend, void** out) {
    const std::lock_guard lock(mutex_);
    *out = nullptr;
    if (!usable(handle)) return SQLITE_IOERR_SHMMAP;
    if (handle.node->shared == nullptr) handle.node->shared = std::make_shared<Shared>();
    handle.shared = handle.node->shared;
    auto& regions = handle.shared->regions;
    while (extend && regions.size() <= region) regions.push_back(std::make_unique<char[]>(size));
    if (region < regions.size()) *out = regions[region].get();
    return SQLITE_OK;
}

int Disk::lock_shared(Handle& handle, int first, int count, int flags) {
    const std::lock_guard lock(mutex_);
    const unsigned mask = ((1U << static_cast<unsigned>(count)) - 1U)
                          << static_cast<unsigned>(first);
    if ((flags & SQLITE_SHM_UNLOCK) != 0) {
        handle.shared_locks &= ~mask;
        handle.exclusive_locks &= ~mask;
        return SQLITE_OK;
    }
    if (!usable(handle)) return SQLITE_IOERR_SHMLOCK;
    const bool exclusive = (flags & SQLITE_SHM_EXCLUSIVE) != 0;
    const bool taken = handle.node->anyone_else(handle, [&](const Handle& one) {
        return ((one.exclusive_locks | (exclusive ? one.shared_locks : 0U)) & mask) != 0;
    });
    if (taken) return SQLITE_BUSY;
    (exclusive ? handle.exclusive_locks : handle.shared_locks) |= mask;
    return SQLITE_OK;
}

void Disk::unmap_shared(Handle& handle) {
    const std::lock_guard lock(mutex_);
    handle.shared.reset();
    handle.shared_locks = handle.exclusive_locks = 0;
    if (handle.node == nullptr) return;
    const bool used =
        handle.node->anyone_else(handle, [](const Handle& one) { return one.shared != nullptr; });
    if (!used) handle.node->shared.reset();
}

}  // namespace belay::support
