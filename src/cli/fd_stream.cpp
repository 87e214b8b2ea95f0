#include "cli/fd_stream.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstddef>

namespace belay::cli {

bool FdBuffer::flush() {
    const char* from = pbase();
    while (problem_ == 0 && from < pptr()) {
        const ssize_t written = ::write(fd_, from, static_cast<std::size_t>(pptr() - from));
        if (written > 0) {
            from += written;
        } else if (written < 0 && errno != EINTR && errno != EAGAIN) {
            problem_ = errno;
        }
    }
    setp(buffer_.data(), buffer_.data() + buffer_.size());
    return problem_ == 0;
}

FdBuffer::int_type FdBuffer::overflow(int_type c) {
    if (!flush()) return traits_type::eof();
    if (traits_type::eq_int_type(c, traits_type::eof())) return traits_type::not_eof(c);
    return sputc(traits_type::to_char_type(c));
}

int FdBuffer::sync() { return flush() ? 0 : -1; }

}  // namespace belay::cli
