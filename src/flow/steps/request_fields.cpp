#include "flow/steps/request_fields.hpp"

#include <belay/exceptions.hpp>

#include <charconv>

namespace belay::flow {

namespace {

/// Reads a whole number that fits; JSON's other forms of numbers are refused.
template <class Number>
std::optional<Number> whole(const json::Value& value) {
    Number number = 0;
    const char* const end = value.text.data() + value.text.size();
    if (value.kind != json::Kind::number) return std::nullopt;
    const auto [at, problem] = std::from_chars(value.text.data(), end, number);
    if (problem != std::errc() || at != end) return std::nullopt;
    return number;
}

bool is_pair_of_texts(const json::Value& value) {
    return value.kind == json::Kind::array && value.items.size() == 2 &&
           value.items[0].kind == json::Kind::text && value.items[1].kind == json::Kind::text;
}

}  // namespace

RequestFields RequestFields::read(const Payload& payload, std::string what) {
    if (payload.codec != PayloadCodec::json) throw DecodeError(what + " is not JSON");
    Result<json::Value> value = json::parse(payload.bytes);
    if (!value) throw DecodeError(what + " cannot be read: " + value.error().message());
    if (value->kind != json::Kind::object) throw DecodeError(what + " is not an object");
    return RequestFields(std::move(*value), std::move(what));
}

void RequestFields::fail(const std::string& problem) const {
    throw DecodeError(what_ + " " + problem);
}

void RequestFields::wrong(std::string_view name, std::string_view expected) const {
    std::string problem = "needs ";
    fail(problem.append(expected).append(" in '").append(name).append("'"));
}

const json::Value* RequestFields::find(std::string_view name) const {
    for (std::size_t i = 0; i < object_.names.size(); ++i) {
        if (object_.names[i] != name) continue;
        const json::Value& value = object_.items[i];
        return value.kind == json::Kind::null ? nullptr : &value;
    }
    return nullptr;
}

std::string RequestFields::text(std::string_view name) const {
    const json::Value* const value = find(name);
    if (value == nullptr || value->kind != json::Kind::text) wrong(name, "a string");
    return value->text;
}

std::string RequestFields::text_or(std::string_view name, std::string_view missing) const {
    return find(name) == nullptr ? std::string(missing) : text(name);
}

bool RequestFields::truth_or(std::string_view name, bool missing) const {
    const json::Value* const value = find(name);
    if (value == nullptr) return missing;
    if (value->kind != json::Kind::boolean) wrong(name, "true or false");
    return value->truth;
}

std::optional<std::uint64_t> RequestFields::number_if_any(std::string_view name) const {
    const json::Value* const value = find(name);
    if (value == nullptr) return std::nullopt;
    const auto number = whole<std::uint64_t>(*value);
    if (!number) wrong(name, "a whole number of 64 bits");
    return number;
}

const std::vector<json::Value>& RequestFields::list(std::string_view name) const {
    static const std::vector<json::Value> kNone;
    const json::Value* const value = find(name);
    if (value == nullptr) return kNone;
    if (value->kind != json::Kind::array) wrong(name, "a list");
    return value->items;
}

std::vector<std::string> RequestFields::texts(std::string_view name) const {
    std::vector<std::string> all;
    for (const json::Value& value : list(name)) {
        if (value.kind != json::Kind::text) wrong(name, "a list of strings");
        all.push_back(value.text);
    }
    return all;
}

std::vector<int> RequestFields::numbers(std::string_view name) const {
    std::vector<int> all;
    for (const json::Value& value : list(name)) {
        const auto number = whole<int>(value);
        if (!number) wrong(name, "a list of whole numbers");
        all.push_back(*number);
    }
    return all;
}

std::vector<std::pair<std::string, std::string>> RequestFields::pairs(std::string_view name) const {
    std::vector<std::pair<std::string, std::string>> all;
    for (const json::Value& value : list(name)) {
        if (!is_pair_of_texts(value)) wrong(name, "a list of pairs of strings");
        all.emplace_back(value.items[0].text, value.items[1].text);
    }
    return all;
}

std::vector<RequestFields> RequestFields::objects(std::string_view name) const {
    std::vector<RequestFields> all;
    for (const json::Value& value : list(name)) {
        if (value.kind != json::Kind::object) wrong(name, "a list of objects");
        all.push_back(RequestFields(value, "an entry of '" + std::string(name) + "' in " + what_));
    }
    return all;
}

}  // namespace belay::flow
