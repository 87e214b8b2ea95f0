// Input of a chain of coders: payloads, history rows and texts under any flags.
#include "fuzz/target.hpp"
#include "store/coded/chain.hpp"

#include <algorithm>
#include <functional>

using namespace belay;

namespace {

constexpr std::size_t kMost = 64 * 1024;

const coded::Chain& chain() {
    static const coded::Chain chain = [] {
        KeyRing keys;
        fuzz::require(keys.add(7, std::string(KeyRing::kKeyBytes, 'k')).ok(), "a key is added");
        Limits limits;
        limits.payload_bytes = kMost;
        limits.compressed_row_bytes = kMost;
        return coded::Chain(CoderChain().then(compression()).then(encryption(keys)).limits(limits));
    }();
    return chain;
}

/// Undecodable input stays as it was; decoded input encodes to something that decodes to it.
template <class T, class Equal>
void there_and_back(T value, const Equal& equal) {
    const T before = value;
    if (!chain().decode(value)) {
        fuzz::require(equal(value, before), "what fails stays as it was");
        return;
    }
    T again = value;
    fuzz::require(chain().encode(again).ok(), "what was decoded can be encoded");
    fuzz::require(chain().decode(again).ok(), "and decoded again");
    fuzz::require(equal(again, value), "to the same");
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    std::string_view rest = fuzz::text_of(data, size);
    const std::uint8_t flags = fuzz::take_byte(rest);
    const std::string bytes(rest);

    Payload payload = Payload::text(bytes);
    payload.flags = flags;
    there_and_back(payload, std::equal_to<Payload>());
    if (chain().decode(payload)) {
        fuzz::require(payload.bytes.size() <= std::max(bytes.size(), kMost + 2), "it is no bomb");
    }
    there_and_back(
        HistoryRow{
            .format = static_cast<std::uint16_t>(0x8000U | flags), .count = 1, .bytes = bytes},
        [](const HistoryRow& a, const HistoryRow& b) {
            return a.format == b.format && a.bytes == b.bytes;
        });
    there_and_back(std::string(coded::kCodedText) + bytes, std::equal_to<std::string>());
    return 0;
}
