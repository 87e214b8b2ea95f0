#include "support/disk_vfs.hpp"

#include "support/disk_node.hpp"

#include <algorithm>
#include <atomic>
#include <string_view>

namespace belay::support {

DiskVfs& DiskVfs::get() {
    // Never destroyed: SQLite keeps a pointer to it.
    static auto* const one = new DiskVfs();
    return *one;
}

DiskVfs::DiskVfs() : real_(sqlite3_vfs_find(nullptr)), vfs_(*real_) {
    fill_methods();
    vfs_.zName = "belay-disk";
    vfs_.szOsFile = std::max(static_cast<int>(sizeof(Disk::Handle)), real_->szOsFile);
    vfs_.pNext = nullptr;
    vfs_.xOpen = [](sqlite3_vfs*, const char* name, sqlite3_file* file, int flags, int* out) {
        Disk* const disk = get().find(name);
        if (disk != nullptr) return disk->open(name, file, flags, out);
        return get().real_->xOpen(get().real_, name, file, flags, out);
    };
    vfs_.xDelete = [](sqlite3_vfs*, const char* name, int sync) {
        Disk* const disk = get().find(name);
        if (disk != nullptr) return disk->remove(name, sync != 0);
        return get().real_->xDelete(get().real_, name, sync);
    };
    vfs_.xAccess = [](sqlite3_vfs*, const char* name, int flags, int* out) {
        Disk* const disk = get().find(name);
        if (disk == nullptr) return get().real_->xAccess(get().real_, name, flags, out);
        *out = disk->exists(name) ? 1 : 0;
        return SQLITE_OK;
    };
    vfs_.xFullPathname = [](sqlite3_vfs*, const char* name, int size, char* out) {
        if (get().find(name) == nullptr) {
            return get().real_->xFullPathname(get().real_, name, size, out);
        }
        sqlite3_snprintf(size, out, "%s", name);
        return SQLITE_OK;
    };
    sqlite3_vfs_register(&vfs_, 1);
}

void DiskVfs::fill_methods() {
    using Handle = Disk::Handle;
    methods_.iVersion = 2;
    methods_.xClose = [](sqlite3_file* file) {
        Handle& handle = Handle::of(file);
        return handle.disk->close(handle);
    };
    methods_.xRead = [](sqlite3_file* file, void* to, int size, sqlite3_int64 at) {
        Handle& handle = Handle::of(file);
        return handle.disk->read(handle,
                                 static_cast<char*>(to),
                                 static_cast<std::size_t>(size),
                                 static_cast<std::size_t>(at));
    };
    methods_.xWrite = [](sqlite3_file* file, const void* data, int size, sqlite3_int64 at) {
        Handle& handle = Handle::of(file);
        return handle.disk->write(handle,
                                  static_cast<const char*>(data),
                                  static_cast<std::size_t>(size),
                                  static_cast<std::size_t>(at));
    };
    methods_.xTruncate = [](sqlite3_file* file, sqlite3_int64 size) {
        Handle& handle = Handle::of(file);
        return handle.disk->truncate(handle, static_cast<std::size_t>(size));
    };
    methods_.xSync = [](sqlite3_file* file, int) {
        Handle& handle = Handle::of(file);
        return handle.disk->sync(handle);
    };
    methods_.xFileSize = [](sqlite3_file* file, sqlite3_int64* size) {
        Handle& handle = Handle::of(file);
        const std::lock_guard lock(handle.disk->mutex_);
        if (!handle.disk->usable(handle)) return SQLITE_IOERR_FSTAT;
        *size = static_cast<sqlite3_int64>(handle.node->data.size());
        return SQLITE_OK;
    };
    methods_.xLock = [](sqlite3_file* file, int level) {
        Handle& handle = Handle::of(file);
        return handle.disk->lock(handle, level);
    };
    methods_.xUnlock = [](sqlite3_file* file, int level) {
        Handle& handle = Handle::of(file);
        const std::lock_guard lock(handle.disk->mutex_);
        handle.level = std::min(handle.level, level);
        return SQLITE_OK;
    };
    methods_.xCheckReservedLock = [](sqlite3_file* file, int* out) {
        Handle& handle = Handle::of(file);
        const std::lock_guard lock(handle.disk->mutex_);
        if (!handle.disk->usable(handle)) return SQLITE_IOERR_CHECKRESERVEDLOCK;
        *out =
            handle.level >= SQLITE_LOCK_RESERVED ||
                    handle.node->anyone_else(
                        handle, [](const Handle& one) { return one.level >= SQLITE_LOCK_RESERVED; })
                ? 1
                : 0;
        return SQLITE_OK;
    };
    methods_.xFileControl = [](sqlite3_file*, int, void*) { return SQLITE_NOTFOUND; };
    methods_.xSectorSize = [](sqlite3_file*) { return 4096; };
    // As on Linux: a write changes nothing beside itself, even if the power is lost.
    methods_.xDeviceCharacteristics = [](sqlite3_file*) {
        return SQLITE_IOCAP_POWERSAFE_OVERWRITE;
    };
    methods_.xShmMap =
        [](sqlite3_file* file, int region, int size, int extend, volatile void** out) {
            Handle& handle = Handle::of(file);
            void* memory = nullptr;
            const int code = handle.disk->map_shared(handle,
                                                     static_cast<std::size_t>(region),
                                                     static_cast<std::size_t>(size),
                                                     extend != 0,
                                                     &memory);
            *out = memory;
            return code;
        };
    methods_.xShmLock = [](sqlite3_file* file, int first, int count, int flags) {
        Handle& handle = Handle::of(file);
        return handle.disk->lock_shared(handle, first, count, flags);
    };
    methods_.xShmBarrier = [](sqlite3_file*) {
        std::atomic_thread_fence(std::memory_order_seq_cst);
    };
    methods_.xShmUnmap = [](sqlite3_file* file, int) {
        Handle& handle = Handle::of(file);
        handle.disk->unmap_shared(handle);
        return SQLITE_OK;
    };
}

void DiskVfs::mount(const std::string& directory, Disk& disk) {
    const std::lock_guard lock(mutex_);
    disks_[directory] = &disk;
}

void DiskVfs::unmount(const std::string& directory) {
    const std::lock_guard lock(mutex_);
    disks_.erase(directory);
}

Disk* DiskVfs::find(const char* path) {
    if (path == nullptr) return nullptr;
    const std::string_view name(path);
    const std::lock_guard lock(mutex_);
    const auto found = disks_.find(std::string(name.substr(0, name.rfind('/'))));
    return found == disks_.end() ? nullptr : found->second;
}

}  // namespace belay::support
