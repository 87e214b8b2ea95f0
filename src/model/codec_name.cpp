#include "model/codec_name.hpp"

#include <array>

namespace belay::model {

std::string_view codec_name(PayloadCodec codec) noexcept {
    switch (codec) {
        case PayloadCodec::none: return "none";
        case PayloadCodec::bytes: return "bytes";
        case PayloadCodec::text: return "text";
        case PayloadCodec::integer: return "integer";
        case PayloadCodec::real: return "real";
        case PayloadCodec::boolean: return "boolean";
        case PayloadCodec::arguments: return "arguments";
        case PayloadCodec::json: return "json";
        case PayloadCodec::failure: return "failure";
        case PayloadCodec::cancel: return "cancel";
        case PayloadCodec::continued: return "continued";
        case PayloadCodec::skipped: return "skipped";
        case PayloadCodec::user: break;
    }
    return {};
}

std::optional<PayloadCodec> find_codec(std::string_view name) noexcept {
    constexpr std::array kNamed{PayloadCodec::none,
                                PayloadCodec::bytes,
                                PayloadCodec::text,
                                PayloadCodec::integer,
                                PayloadCodec::real,
                                PayloadCodec::boolean,
                                PayloadCodec::arguments,
                                PayloadCodec::json,
                                PayloadCodec::failure,
                                PayloadCodec::cancel,
                                PayloadCodec::continued,
                                PayloadCodec::skipped};
    for (const PayloadCodec codec : kNamed) {
        if (codec_name(codec) == name) return codec;
    }
    return std::nullopt;
}

}  // namespace belay::model
