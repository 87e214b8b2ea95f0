// History rows. A readable one is written the same way again, and can be shown.
#include "fuzz/target.hpp"
#include "model/event.hpp"
#include <belay/error.hpp>

using namespace belay;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    std::string_view rest = fuzz::text_of(data, size);
    HistoryRow row;
    row.count = fuzz::take_byte(rest);
    row.bytes = rest;
    const auto events = model::decode_events(row);
    if (!events) return 0;
    for (const model::Event& event : *events) {
        (void)model::is_input(event);
        const std::string line = model::describe(event);
        fuzz::require(line.find('\n') == std::string::npos, "an event is one line");
    }
    const HistoryRow again = model::encode_events(*events);
    fuzz::require(again.count == row.count, "as many events");
    const auto same = model::decode_events(again);
    fuzz::require(same.ok() && *same == *events, "what was written can be read");
    fuzz::require(model::encode_events(*same).bytes == again.bytes, "equal events, equal bytes");
    return 0;
}
