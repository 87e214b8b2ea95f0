#include "client/cursor.hpp"

#include "client/digest.hpp"
#include "model/encoding.hpp"

#include <sodium.h>

#include <string_view>
#include <vector>

namespace belay::client {

namespace {

constexpr std::uint64_t kFormat = 1;
/// Enough to tell any two lists of one person apart; a cursor is no secret and no proof.
constexpr std::size_t kDigestBytes = 8;
constexpr int kVariant = sodium_base64_VARIANT_URLSAFE_NO_PADDING;

std::string mark_of(const ListInstances& request) {
    const Digest digest = query_digest(request);
    return std::string(reinterpret_cast<const char*>(digest.data()), kDigestBytes);
}

}  // namespace

std::string cursor_of(const ListInstances& request, const InstancePlace& last) {
    model::Writer out;
    out.number(kFormat);
    out.text(mark_of(request));
    out.time(last.at);
    out.text(last.id);
    out.number(last.key.value);
    const std::string bytes = out.take();
    std::vector<char> text(sodium_base64_encoded_len(bytes.size(), kVariant));
    sodium_bin2base64(text.data(),
                      text.size(),
                      reinterpret_cast<const unsigned char*>(bytes.data()),
                      bytes.size(),
                      kVariant);
    return text.data();
}

Result<InstancePlace> read_cursor(const ListInstances& request, const std::string& cursor) {
    std::string bytes(cursor.size(), '\0');
    std::size_t length = 0;
    const char* end = nullptr;
    const bool decoded = sodium_base642bin(reinterpret_cast<unsigned char*>(bytes.data()),
                                           bytes.size(),
                                           cursor.data(),
                                           cursor.size(),
                                           nullptr,
                                           &length,
                                           &end,
                                           kVariant) == 0 &&
                         end == cursor.data() + cursor.size();
    model::Reader in(std::string_view(bytes).substr(0, length));
    const std::uint64_t format = in.number();
    const std::string mark = in.text();
    InstancePlace place;
    place.at = in.time();
    place.id = in.text();
    place.key = RunKey{in.number()};
    if (!decoded || !in.ok() || !in.at_end() || format != kFormat) {
        return Error(Errc::invalid_argument,
                     "this is no cursor of a list; use the one that came with the page before");
    }
    if (mark != mark_of(request)) {
        return Error(Errc::invalid_argument,
                     "the cursor belongs to a list with other filters or another order");
    }
    return place;
}

}  // namespace belay::client
