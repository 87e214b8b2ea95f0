// Headers as they are in a row of the SQLite store.
#include "fuzz/target.hpp"
#include "store/sqlite/payloads.hpp"

using namespace belay;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    try {
        const Headers headers = sqlite::decode_headers(fuzz::text_of(data, size));
        const auto again = sqlite::encode(headers);
        fuzz::require(again.has_value() == !headers.empty(), "none are nothing");
        if (again) {
            fuzz::require(sqlite::decode_headers(*again) == headers, "headers stay the same");
        }
    } catch (const sqlite::SqliteFailure&) {
    }
    return 0;
}
