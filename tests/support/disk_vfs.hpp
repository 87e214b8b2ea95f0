// Leads SQLite to a Disk.
#pragma once

#include "support/disk.hpp"

#include <map>
#include <mutex>
#include <string>

namespace belay::support {

/// One for the process: in front of the usual VFS, and the default from the first Disk on.
class DiskVfs {
public:
    static DiskVfs& get();
    void mount(const std::string& directory, Disk& disk);
    void unmount(const std::string& directory);
    [[nodiscard]] const sqlite3_io_methods& methods() const noexcept { return methods_; }

private:
    DiskVfs();
    void fill_methods();
    [[nodiscard]] Disk* find(const char* path);

    sqlite3_vfs* const real_;
    sqlite3_vfs vfs_{};
    sqlite3_io_methods methods_{};
    std::mutex mutex_;
    std::map<std::string, Disk*> disks_;  ///< By directory.
};

}  // namespace belay::support
