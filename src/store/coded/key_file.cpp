// Keys from a file.
#include <belay/store/coded.hpp>

#include <fcntl.h>
#include <sodium.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <string>

namespace belay {

namespace {

/// The most bytes of a key file. Far more than a ring has keys.
constexpr std::size_t kMostBytes = 64 * 1024;

/// The content of a file of keys: overwritten when it is no longer needed.
struct Secret {
    Secret() = default;
    Secret(const Secret&) = delete;
    Secret& operator=(const Secret&) = delete;
    ~Secret() { sodium_memzero(bytes.data(), bytes.size()); }
    std::string bytes = std::string(kMostBytes, '\0');
    std::size_t used = 0;
};

class File {
public:
    explicit File(const std::string& path) : number_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {}
    File(const File&) = delete;
    File& operator=(const File&) = delete;
    ~File() {
        if (number_ >= 0) ::close(number_);
    }
    [[nodiscard]] int number() const noexcept { return number_; }

private:
    int number_;
};

Error cannot_read(const std::string& path) {
    return Error(Errc::unavailable,
                 "the key file '" + path + "' cannot be read: " + std::strerror(errno));
}

Result<void> read_all(const std::string& path, Secret& into) {
    const File file(path);
    struct stat about{};
    if (file.number() < 0 || ::fstat(file.number(), &about) != 0) return cannot_read(path);
    if ((about.st_mode & (S_IRWXO | S_IWGRP)) != 0) {
        return Error(Errc::invalid_argument,
                     "the key file '" + path +
                         "' may be read or changed by others; take that away: chmod 600 '" + path +
                         "'");
    }
    while (into.used < kMostBytes) {
        const ssize_t got =
            ::read(file.number(), into.bytes.data() + into.used, kMostBytes - into.used);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return cannot_read(path);
        if (got == 0) return {};
        into.used += static_cast<std::size_t>(got);
    }
    return Error(Errc::invalid_argument, "the key file '" + path + "' is too long to be one");
}

std::string_view trimmed(std::string_view text) {
    constexpr std::string_view kSpace = " \t\r";
    const std::size_t first = text.find_first_not_of(kSpace);
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

/// The contents of a line must not be in an error: they may be a key.
Result<void> add_line(KeyRing& ring, std::string_view line) {
    KeyId id = 0;
    const auto [end, problem] = std::from_chars(line.data(), line.data() + line.size(), id);
    const std::string_view digits =
        trimmed(line.substr(static_cast<std::size_t>(end - line.data())));
    Secret key;
    const char* stopped = nullptr;
    const bool fine = problem == std::errc() && end != line.data() + line.size() &&
                      (*end == ' ' || *end == '\t') &&
                      sodium_hex2bin(reinterpret_cast<unsigned char*>(key.bytes.data()),
                                     KeyRing::kKeyBytes,
                                     digits.data(),
                                     digits.size(),
                                     nullptr,
                                     &key.used,
                                     &stopped) == 0 &&
                      key.used == KeyRing::kKeyBytes && stopped == digits.data() + digits.size();
    if (!fine) {
        return Error(Errc::invalid_argument,
                     "a line is the number of a key and its 32 bytes in 64 hexadecimal digits");
    }
    return ring.add(id, std::string_view(key.bytes).substr(0, key.used));
}

}  // namespace

Result<KeyRing> read_key_file(const std::string& path) {
    KeyRing ring;
    Secret content;
    if (Result<void> got = read_all(path, content); !got) return got.error();
    std::string_view rest = std::string_view(content.bytes).substr(0, content.used);
    for (int number = 1; !rest.empty(); ++number) {
        const std::string_view line = rest.substr(0, rest.find('\n'));
        rest.remove_prefix(std::min(line.size() + 1, rest.size()));
        const std::string_view said = trimmed(line.substr(0, line.find('#')));
        if (said.empty()) continue;
        if (const Result<void> added = add_line(ring, said); !added) {
            return Error(added.error().code(),
                         "the key file '" + path + "', line " + std::to_string(number) + ": " +
                             added.error().message());
        }
    }
    if (ring.ids().empty()) {
        return Error(Errc::invalid_argument, "the key file '" + path + "' has no key");
    }
    return ring;
}

}  // namespace belay
