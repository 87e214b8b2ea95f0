// A file system that fails on command, for SQLite in this process.
#pragma once

#include <sqlite3.h>

#include <atomic>
#include <string>
#include <string_view>

namespace belay::sqlite {

/// Stands before the usual VFS while it exists, and is the default for connections opened
/// meanwhile. Only the log fails: that is where commits go.
class FaultyVfs {
public:
    FaultyVfs();
    ~FaultyVfs();
    FaultyVfs(const FaultyVfs&) = delete;
    FaultyVfs& operator=(const FaultyVfs&) = delete;

    /// The next so many calls of this kind fail with `code`, after `after` that succeed.
    void fail_writes(int code, int count = 1, int after = 0) { set(writes_, code, count, after); }
    void fail_syncs(int code, int count = 1, int after = 0) { set(syncs_, code, count, after); }
    [[nodiscard]] int failures() const { return failures_; }

private:
    struct Plan {
        std::atomic<int> code{SQLITE_OK};
        std::atomic<int> after{0};
        std::atomic<int> left{0};
    };
    struct File;
    static void set(Plan& plan, int code, int count, int after) {
        plan.code = code;
        plan.after = after;
        plan.left = count;
    }
    int next(Plan& plan);
    static int open(sqlite3_vfs* vfs, const char* name, sqlite3_file* file, int flags, int* out);

    sqlite3_vfs* const real_;
    sqlite3_vfs vfs_;
    Plan writes_;
    Plan syncs_;
    std::atomic<int> failures_{0};
};

}  // namespace belay::sqlite
