// Loaded before the C library: while the file that BELAY_FULL_DISK names is there, nothing can be
// written to a regular file, as on a disk that is full.
#include <dlfcn.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

namespace {

bool disk_is_full(int file) {
    static const char* const sign = std::getenv("BELAY_FULL_DISK");
    if (sign == nullptr || ::access(sign, F_OK) != 0) return false;
    struct stat about{};
    return ::fstat(file, &about) == 0 && S_ISREG(about.st_mode);
}

template <class Function>
Function* next(const char* name) {
    return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

ssize_t no_space() {
    errno = ENOSPC;
    return -1;
}

}  // namespace

extern "C" {

ssize_t write(int file, const void* bytes, std::size_t count) {
    static auto* const real = next<ssize_t(int, const void*, std::size_t)>("write");
    return disk_is_full(file) ? no_space() : real(file, bytes, count);
}
ssize_t pwrite(int file, const void* bytes, std::size_t count, off_t at) {
    static auto* const real = next<ssize_t(int, const void*, std::size_t, off_t)>("pwrite");
    return disk_is_full(file) ? no_space() : real(file, bytes, count, at);
}
ssize_t pwrite64(int file, const void* bytes, std::size_t count, off64_t at) {
    static auto* const real = next<ssize_t(int, const void*, std::size_t, off64_t)>("pwrite64");
    return disk_is_full(file) ? no_space() : real(file, bytes, count, at);
}
}
