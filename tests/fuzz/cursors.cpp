// Cursors of lists, which come back from people and programs.
#include "client/cursor.hpp"
#include "client/digest.hpp"
#include "fuzz/target.hpp"
#include "model/encoding.hpp"

#include <sodium.h>

#include <vector>

using namespace belay;

namespace {

/// A cursor of this list with any bytes where the place should be.
template <class Request>
std::string cursor_with(const Request& request, std::string_view place) {
    const Digest digest = client::query_digest(request);
    model::Writer out;
    out.number(1);
    out.text(std::string(reinterpret_cast<const char*>(digest.data()), 8));
    const std::string bytes = out.take() + std::string(place);
    constexpr int kVariant = sodium_base64_VARIANT_URLSAFE_NO_PADDING;
    std::vector<char> text(sodium_base64_encoded_len(bytes.size(), kVariant));
    sodium_bin2base64(text.data(),
                      text.size(),
                      reinterpret_cast<const unsigned char*>(bytes.data()),
                      bytes.size(),
                      kVariant);
    return text.data();
}

template <class Request>
void read(const Request& request, const std::string& cursor) {
    const auto place = client::read_cursor(request, cursor);
    if (!place) {
        fuzz::require(place.error().code() == Errc::invalid_argument, "a person can mend it");
        return;
    }
    const auto again = client::read_cursor(request, client::cursor_of(request, *place));
    fuzz::require(again.ok() && *again == *place, "a place that was read can be written");
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    std::string_view rest = fuzz::text_of(data, size);
    const bool ours = (fuzz::take_byte(rest) & 1U) != 0;
    const ListInstances instances;
    const ListKeys keys;
    read(instances, ours ? cursor_with(instances, rest) : std::string(rest));
    read(keys, ours ? cursor_with(keys, rest) : std::string(rest));

    ListInstances others;
    others.definition = "Other";
    const auto foreign = client::read_cursor(others, cursor_with(instances, rest));
    fuzz::require(!foreign.ok(), "a cursor of another list is refused");
    return 0;
}
