// Outcomes, failures and cancel records.
#include "fuzz/target.hpp"
#include "model/encoding.hpp"

using namespace belay;

namespace {

std::string encoded(const Outcome& outcome) {
    model::Writer out;
    model::write(out, outcome);
    return out.take();
}

void try_outcome(std::string_view bytes) {
    model::Reader in(bytes);
    const Outcome outcome = model::read_outcome(in);
    if (!in.ok()) return;
    const std::string again = encoded(outcome);
    model::Reader second(again);
    const Outcome same = model::read_outcome(second);
    fuzz::require(second.ok() && second.at_end() && same == outcome, "an outcome stays the same");
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    std::string_view rest = fuzz::text_of(data, size);
    const std::uint8_t kind = fuzz::take_byte(rest) % 3;
    if (kind == 0) {
        try_outcome(rest);
    } else if (kind == 1) {
        const auto failure = model::failure_of(Payload(PayloadCodec::failure, std::string(rest)));
        if (!failure) return 0;
        const auto same = model::failure_of(model::to_payload(*failure));
        fuzz::require(same.ok() && *same == *failure, "a failure stays the same");
    } else {
        const auto record = model::cancel_of(Payload(PayloadCodec::cancel, std::string(rest)));
        if (!record) return 0;
        const auto same = model::cancel_of(model::to_payload(*record));
        fuzz::require(same.ok() && *same == *record, "a cancel record stays the same");
    }
    return 0;
}
