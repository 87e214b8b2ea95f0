#include "faulty_vfs.hpp"

#include <new>

namespace belay::sqlite {

/// In front of the real file, which lies behind it in the same memory.
struct FaultyVfs::File {
    sqlite3_file base;
    sqlite3_io_methods methods;
    FaultyVfs* owner;
    bool log;

    [[nodiscard]] sqlite3_file* real() { return reinterpret_cast<sqlite3_file*>(this + 1); }
    static File& of(sqlite3_file* file) { return *reinterpret_cast<File*>(file); }
};

namespace {

/// Passes a call on to the real file.
template <auto Method>
struct Forward;
template <class... Args, int (*sqlite3_io_methods::*Method)(sqlite3_file*, Args...)>
struct Forward<Method> {
    template <class File>
    static int call(sqlite3_file* file, Args... args) {
        sqlite3_file* real = File::of(file).real();
        return (real->pMethods->*Method)(real, args...);
    }
};

}  // namespace

FaultyVfs::FaultyVfs() : real_(sqlite3_vfs_find(nullptr)), vfs_(*real_) {
    vfs_.zName = "faulty";
    vfs_.szOsFile = static_cast<int>(sizeof(File)) + real_->szOsFile;
    vfs_.pNext = nullptr;
    vfs_.xOpen = &FaultyVfs::open;
    vfs_.pAppData = this;
    sqlite3_vfs_register(&vfs_, 1);
}

FaultyVfs::~FaultyVfs() {
    sqlite3_vfs_unregister(&vfs_);
    sqlite3_vfs_register(real_, 1);
}

int FaultyVfs::next(Plan& plan) {
    if (plan.left <= 0) return SQLITE_OK;
    if (plan.after > 0) {
        --plan.after;
        return SQLITE_OK;
    }
    --plan.left;
    ++failures_;
    return plan.code;
}

int FaultyVfs::open(sqlite3_vfs* vfs, const char* name, sqlite3_file* file, int flags, int* out) {
    auto* self = static_cast<FaultyVfs*>(vfs->pAppData);
    File& made = *new (file) File();
    made.owner = self;
    made.log = (flags & SQLITE_OPEN_WAL) != 0;
    const int code = self->real_->xOpen(self->real_, name, made.real(), flags, out);
    if (made.real()->pMethods == nullptr) return code;

    using M = sqlite3_io_methods;
    made.methods = *made.real()->pMethods;
    made.methods.xClose = &Forward<&M::xClose>::call<File>;
    made.methods.xRead = &Forward<&M::xRead>::call<File>;
    made.methods.xTruncate = &Forward<&M::xTruncate>::call<File>;
    made.methods.xFileSize = &Forward<&M::xFileSize>::call<File>;
    made.methods.xLock = &Forward<&M::xLock>::call<File>;
    made.methods.xUnlock = &Forward<&M::xUnlock>::call<File>;
    made.methods.xCheckReservedLock = &Forward<&M::xCheckReservedLock>::call<File>;
    made.methods.xFileControl = &Forward<&M::xFileControl>::call<File>;
    made.methods.xSectorSize = &Forward<&M::xSectorSize>::call<File>;
    made.methods.xDeviceCharacteristics = &Forward<&M::xDeviceCharacteristics>::call<File>;
    made.methods.xShmMap = &Forward<&M::xShmMap>::call<File>;
    made.methods.xShmLock = &Forward<&M::xShmLock>::call<File>;
    made.methods.xShmUnmap = &Forward<&M::xShmUnmap>::call<File>;
    made.methods.xFetch = &Forward<&M::xFetch>::call<File>;
    made.methods.xUnfetch = &Forward<&M::xUnfetch>::call<File>;
    made.methods.xShmBarrier = [](sqlite3_file* one) {
        sqlite3_file* real = File::of(one).real();
        real->pMethods->xShmBarrier(real);
    };
    made.methods.xWrite = [](sqlite3_file* one, const void* data, int size, sqlite3_int64 at) {
        File& self_file = File::of(one);
        const int planned =
            self_file.log ? self_file.owner->next(self_file.owner->writes_) : SQLITE_OK;
        if (planned != SQLITE_OK) return planned;
        return self_file.real()->pMethods->xWrite(self_file.real(), data, size, at);
    };
    made.methods.xSync = [](sqlite3_file* one, int how) {
        File& self_file = File::of(one);
        const int planned =
            self_file.log ? self_file.owner->next(self_file.owner->syncs_) : SQLITE_OK;
        if (planned != SQLITE_OK) return planned;
        return self_file.real()->pMethods->xSync(self_file.real(), how);
    };
    made.base.pMethods = &made.methods;
    return code;
}

}  // namespace belay::sqlite
