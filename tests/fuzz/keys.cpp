// Files of keys. A file that is refused is refused without a word of what may be a key.
#include "fuzz/target.hpp"
#include "support/temporary_directory.hpp"
#include <belay/store/coded.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdio>

using namespace belay;

namespace {

/// More digits than any number has that a message may name.
constexpr std::size_t kSecretDigits = 24;

const std::string& path() {
    static const support::TemporaryDirectory directory(support::TemporaryDirectory::in_memory());
    static const std::string path = directory.file("keys");
    return path;
}

Result<KeyRing> read(std::string_view text) {
    const int file = ::open(path().c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    fuzz::require(file >= 0, "a file can be made");
    const ssize_t count = ::write(file, text.data(), text.size());
    fuzz::require(count == static_cast<ssize_t>(text.size()), "it can be written");
    ::close(file);
    return read_key_file(path());
}

std::size_t longest_digits(std::string_view text) {
    std::size_t longest = 0;
    std::size_t length = 0;
    for (const char one : text) {
        length = std::isxdigit(static_cast<unsigned char>(one)) != 0 ? length + 1 : 0;
        longest = std::max(longest, length);
    }
    return longest;
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text(fuzz::text_of(data, size));
    const Result<KeyRing> keys = read(text);
    if (!keys) {
        fuzz::require(keys.error().code() == Errc::invalid_argument, "a person can mend it");
        fuzz::require(longest_digits(keys.error().message()) < kSecretDigits, "no key is shown");
        return 0;
    }
    const std::vector<KeyId> ids = keys->ids();
    fuzz::require(!ids.empty() && keys->writing(), "a ring that was read can write");
    fuzz::require(std::find(ids.begin(), ids.end(), *keys->writing()) != ids.end(),
                  "a key of the ring writes");
    const Result<KeyRing> again = read(text + "\n# the end\n");
    fuzz::require(again.ok() && again->ids() == ids && again->writing() == keys->writing(),
                  "a comment changes nothing");
    return 0;
}
