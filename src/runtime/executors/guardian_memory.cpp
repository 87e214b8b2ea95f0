#include "runtime/executors/guardian_memory.hpp"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define BELAY_SANITIZED true
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || \
    __has_feature(memory_sanitizer)
#define BELAY_SANITIZED true
#endif
#endif
#ifndef BELAY_SANITIZED
#define BELAY_SANITIZED false
#endif

namespace belay::runtime {

namespace guarding {
namespace {

/// A line of /proc/self/maps.
struct Mapping {
    unsigned long begin = 0;
    unsigned long end = 0;
    bool writable = false;
    bool shared = false;
    unsigned long file = 0;  ///< Its inode; 0: there is none.
    char mark = 0;           ///< The second letter of a name such as [heap]; 0: it has none.

    [[nodiscard]] bool has(const void* address) const {
        const auto at = reinterpret_cast<unsigned long>(address);
        return begin <= at && at < end;
    }
    /// [heap] and [anon:...] are memory like that without a name; [stack], [vvar] and others not.
    [[nodiscard]] bool is_memory() const {
        return file == 0 && (mark == 0 || mark == 'h' || mark == 'a');
    }
};

class Mappings {
public:
    Mappings()
        : file_(static_cast<int>(
              ::syscall(SYS_openat, AT_FDCWD, "/proc/self/maps", O_RDONLY | O_CLOEXEC))) {}
    void close() const { ::syscall(SYS_close, file_); }

    /// begin-end rwxp offset device inode name
    bool next(Mapping& mapping) {
        mapping = Mapping();
        mapping.begin = number(16);
        mapping.end = number(16);
        take();
        mapping.writable = take() == 'w';
        take();
        mapping.shared = take() == 's';
        take();
        while (take() > ' ') {
        }
        while (take() > ' ') {
        }
        mapping.file = number(10);
        int letter = last_;
        while (letter == ' ') letter = take();
        if (letter == '[') mapping.mark = static_cast<char>(take());
        while (last_ != '\n' && last_ >= 0) take();
        return last_ >= 0;
    }

private:
    int take() {
        if (at_ == size_) {
            at_ = 0;
            size_ = file_ < 0 ? 0 : ::syscall(SYS_read, file_, text_.data(), text_.size());
        }
        last_ = size_ > 0 ? static_cast<unsigned char>(text_[static_cast<std::size_t>(at_++)]) : -1;
        if (size_ <= 0) size_ = at_ = 0;
        return last_;
    }
    unsigned long number(unsigned long base) {
        unsigned long value = 0;
        while (true) {
            const int letter = take();
            if (letter >= '0' && letter <= '9') {
                value = value * base + static_cast<unsigned long>(letter - '0');
            } else if (letter >= 'a' && letter <= 'f' && base == 16) {
                value = value * base + static_cast<unsigned long>(letter - 'a' + 10);
            } else {
                return value;
            }
        }
    }

    int file_;
    std::array<char, 2048> text_;
    long at_ = 0;
    long size_ = 0;
    int last_ = 0;
};

/// A function of a library is found when it is called for the first time, with memory that will be
/// gone. The compiler calls these two where it likes.
void find_functions() {
    std::array<char, 64> some{};
    volatile std::size_t length = some.size() / 2;
    std::memset(some.data(), 1, length);
    std::memcpy(some.data(), some.data() + length, length);
}

void unmap_all_but(const void* kept) {
    const void* const own_variables = &errno;
    Mappings mappings;
    const void* const own_stack = &mappings;
    for (Mapping one; mappings.next(one);) {
        if (one.has(own_stack) || one.has(own_variables) || one.has(kept)) continue;
        if (one.shared || (one.writable && one.is_memory())) {
            ::syscall(SYS_munmap, one.begin, one.end - one.begin);
        }
    }
    mappings.close();
}

}  // namespace
}  // namespace guarding

void let_go_of_memory(const void* kept) {
    guarding::find_functions();
    if (!BELAY_SANITIZED) guarding::unmap_all_but(kept);
}

}  // namespace belay::runtime
