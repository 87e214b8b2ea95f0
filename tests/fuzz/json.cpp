// JSON as flows read it: values of params, of results and of answers. Whatever is read and can be
// written is read again as the same.
#include "expr/value_json.hpp"
#include "fuzz/target.hpp"

using namespace belay;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text = fuzz::text_of(data, size);
    const Result<expr::Value> value = expr::parse_json(text);
    if (!value) {
        fuzz::require(!value.error().message().empty(), "a text that is refused has a reason");
        return 0;
    }
    const Result<std::string> written = expr::to_json(*value);
    // A number beyond all doubles is read as infinite, which JSON cannot hold.
    if (!written) return 0;
    const Result<expr::Value> again = expr::parse_json(*written);
    fuzz::require(again.ok(), "what was written is read again");
    const Result<std::string> same = expr::to_json(*again);
    fuzz::require(same.ok() && *same == *written, "and is the same");
    return 0;
}
