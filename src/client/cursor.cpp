#include "client/cursor.hpp"

#include "client/digest.hpp"
#include "model/encoding.hpp"

#include <sodium.h>

#include <optional>
#include <string_view>
#include <vector>

namespace belay::client {

namespace {

constexpr std::uint64_t kFormat = 1;
/// Enough to tell any two lists of one person apart; a cursor is no secret and no proof.
constexpr std::size_t kDigestBytes = 8;
/// No place is so long. Longer ones are not even looked at.
constexpr std::size_t kLongestCursor = 64UL * 1024;
constexpr int kVariant = sodium_base64_VARIANT_URLSAFE_NO_PADDING;

template <class Request>
std::string mark_of(const Request& request) {
    const Digest digest = query_digest(request);
    return std::string(reinterpret_cast<const char*>(digest.data()), kDigestBytes);
}

std::string printed(const std::string& bytes) {
    std::vector<char> text(sodium_base64_encoded_len(bytes.size(), kVariant));
    sodium_bin2base64(text.data(),
                      text.size(),
                      reinterpret_cast<const unsigned char*>(bytes.data()),
                      bytes.size(),
                      kVariant);
    return text.data();
}

/// Returns none if it was not printed by us.
std::optional<std::string> bytes_of(const std::string& cursor) {
    if (cursor.size() > kLongestCursor) return std::nullopt;
    std::string bytes(cursor.size(), '\0');
    std::size_t length = 0;
    const char* end = nullptr;
    if (sodium_base642bin(reinterpret_cast<unsigned char*>(bytes.data()),
                          bytes.size(),
                          cursor.data(),
                          cursor.size(),
                          nullptr,
                          &length,
                          &end,
                          kVariant) != 0 ||
        end != cursor.data() + cursor.size()) {
        return std::nullopt;
    }
    bytes.resize(length);
    return bytes;
}

void write(model::Writer& out, const InstancePlace& place) {
    out.time(place.at);
    out.text(place.id);
    out.number(place.key.value);
}
void read(model::Reader& in, InstancePlace& place) {
    place.at = in.time();
    place.id = in.text();
    place.key = RunKey{in.number()};
}
void write(model::Writer& out, const KeyPlace& place) {
    out.text(place.owner);
    out.text(place.definition);
    out.text(place.key);
}
void read(model::Reader& in, KeyPlace& place) {
    place.owner = in.text();
    place.definition = in.text();
    place.key = in.text();
}

template <class Request, class Place>
std::string make_cursor(const Request& request, const Place& last) {
    model::Writer out;
    out.number(kFormat);
    out.text(mark_of(request));
    write(out, last);
    return printed(out.take());
}

template <class Place, class Request>
Result<Place> place_of(const Request& request, const std::string& cursor) {
    const std::optional<std::string> bytes = bytes_of(cursor);
    model::Reader in(bytes ? std::string_view(*bytes) : std::string_view());
    const std::uint64_t format = in.number();
    const std::string mark = in.text();
    // The bytes behind the mark of another list need not be a place of this one.
    const bool ours = in.ok() && format == kFormat && mark == mark_of(request);
    Place place;
    read(in, place);
    if (ours && in.ok() && in.at_end()) return place;
    if (bytes && format == kFormat && mark.size() == kDigestBytes && !ours) {
        return Error(Errc::invalid_argument,
                     "the cursor belongs to a list with other filters or another order");
    }
    return Error(Errc::invalid_argument,
                 "this is no cursor of a list; use the one that came with the page before");
}

}  // namespace

std::string cursor_of(const ListInstances& request, const InstancePlace& last) {
    return make_cursor(request, last);
}
std::string cursor_of(const ListKeys& request, const KeyPlace& last) {
    return make_cursor(request, last);
}

Result<InstancePlace> read_cursor(const ListInstances& request, const std::string& cursor) {
    return place_of<InstancePlace>(request, cursor);
}
Result<KeyPlace> read_cursor(const ListKeys& request, const std::string& cursor) {
    return place_of<KeyPlace>(request, cursor);
}

}  // namespace belay::client
