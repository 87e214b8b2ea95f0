#include "cli/commands/input.hpp"

#include "cli/text.hpp"
#include <belay/codec.hpp>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

namespace belay::cli {

Operand id_operand() { return {.name = "ID", .help = "the instance's id"}; }

Option request_id_option() {
    return {.name = "request-id",
            .value = "ID",
            .help = "asked again under this id, it is done once and answered the same"};
}

std::string read_content(Context& context, const std::string& path) {
    std::ostringstream content;
    if (path == "-") {
        content << context.terminal().in.rdbuf();
        return content.str();
    }
    std::ifstream file(path, std::ios::binary);
    if (file) content << file.rdbuf();
    if (!file || file.bad()) {
        throw usage_problem("cannot read '" + safe(path) + "': " + std::strerror(errno));
    }
    return content.str();
}

Payload values_from(Context& context, const Arguments& arguments, std::size_t first) {
    const std::vector<std::string>& operands = arguments.operands();
    const std::vector<std::string> words(
        operands.begin() + static_cast<std::ptrdiff_t>(std::min(first, operands.size())),
        operands.end());
    return parse_values(words,
                        [&](const std::string& path) { return read_content(context, path); });
}

std::pair<std::string, std::string> name_and_value(const char* option, const std::string& text) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0) {
        throw usage_problem("--" + std::string(option) + ": '" + safe(text) +
                            "' is not NAME=VALUE");
    }
    return {text.substr(0, equals), text.substr(equals + 1)};
}

LabelValue label_value(const std::string& text) {
    const Payload value = parse_value(
        text.starts_with('@') || text.starts_with('{') || text.starts_with('[') ? "text:" + text
                                                                                : text,
        [](const std::string&) { return std::string(); });
    switch (value.codec) {
        case PayloadCodec::integer: return Codec<std::int64_t>::decode(value);
        case PayloadCodec::real: return Codec<double>::decode(value);
        case PayloadCodec::boolean: return Codec<bool>::decode(value);
        case PayloadCodec::text: return value.bytes;
        default:
            throw usage_problem("a label is text, a number, true or false, not '" + safe(text) +
                                "'");
    }
}

std::string counted(std::uint64_t count, const std::string& thing) {
    return std::to_string(count) + " " + thing + (count == 1 ? "" : "s");
}

}  // namespace belay::cli
