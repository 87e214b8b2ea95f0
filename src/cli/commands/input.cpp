#include "cli/commands/input.hpp"

#include "cli/text.hpp"
#include <belay/codec.hpp>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace belay::cli {

Operand id_operand() { return {.name = "ID", .help = "the id of the instance", .instance = true}; }

Operand ids_operand() {
    return {.name = "ID",
            .help = "the ids of instances",
            .required = false,
            .repeats = true,
            .instance = true};
}

Option request_id_option() {
    return {.name = "request-id",
            .value = "ID",
            .help = "a repeat with the same request id does nothing new and gets the same answer"};
}

namespace {

std::string read_all(std::istream& in, const std::string& path, std::size_t most) {
    std::string content;
    std::array<char, 64 * 1024> piece{};
    while (in.read(piece.data(), piece.size()) || in.gcount() > 0) {
        content.append(piece.data(), static_cast<std::size_t>(in.gcount()));
        if (content.size() > most) {
            throw usage_problem("'" + safe(path) + "' has more than " + std::to_string(most) +
                                " bytes; nothing that large is read");
        }
    }
    return content;
}

}  // namespace

std::string read_content(Context& context, const std::string& path, std::size_t most) {
    if (path == "-") return read_all(context.terminal().in, "the standard input", most);
    std::error_code problem;
    // It can be opened, and then has nothing in it.
    if (std::filesystem::is_directory(path, problem)) {
        throw usage_problem("cannot read '" + safe(path) + "': it is a directory");
    }
    std::ifstream file(path, std::ios::binary);
    if (!file) throw usage_problem("cannot read '" + safe(path) + "': " + std::strerror(errno));
    std::string content = read_all(file, path, most);
    if (file.bad()) {
        throw usage_problem("cannot read '" + safe(path) + "': " + std::strerror(errno));
    }
    return content;
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
