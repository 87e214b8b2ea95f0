// Exported instances. A readable one is written the same way again, and its history can be stored.
#include "document/document.hpp"

#include "fuzz/target.hpp"

using namespace belay;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto document = document::read_document(fuzz::text_of(data, size), Limits());
    if (!document) return 0;
    for (const document::DocumentExecution& execution : document->executions) {
        for (const auto& turn : execution.turns) {
            const auto stored = model::decode_events(model::encode_events(turn));
            fuzz::require(stored.ok() && *stored == turn, "its history can be stored");
        }
    }
    const auto text = document::write_document(*document, ExportLayout::one_line);
    fuzz::require(text.ok(), "what was read can be written");
    const auto again = document::read_document(*text, Limits());
    fuzz::require(again.ok() && *again == *document, "what was written can be read");
    return 0;
}
