// Makes expressions, evaluates them, and prints both: one JSON object for each line.
//
// usage: cel_cases SEED COUNT
//
// {"expr": "1 + x", "result": ["int", "3"]}. The first line has the variables: {"variables": {"x":
// ["int", "2"]}}. evaluate.mjs reads the lines, and evaluates the expressions with another
// implementation.
#include "expr/program.hpp"
#include "expr/value.hpp"
#include "json/base64.hpp"
#include "json/writer.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

using belay::expr::Kind;
using belay::expr::Map;
using belay::expr::Value;
using belay::json::Writer;

// ---- Values ------------------------------------------------------------------------------------

std::string shown(const Value& value);

std::string bits_of(double value) {
    if (std::isnan(value)) return "nan";
    char text[17];
    std::snprintf(text,
                  sizeof text,
                  "%016llx",
                  static_cast<unsigned long long>(std::bit_cast<std::uint64_t>(value)));
    return text;
}

std::string pair(std::string_view kind, std::string_view text) {
    return Writer().open_array().text(kind).text(text).close_array().str();
}

std::string with_items(std::string_view kind, const std::vector<std::string>& items) {
    Writer out;
    out.open_array().text(kind).open_array();
    for (const std::string& item : items) out.raw(item);
    return out.close_array().close_array().str();
}

std::string shown_map(const Map& map) {
    std::vector<std::string> entries;
    for (const auto& [key, value] : map.entries()) {
        entries.push_back(
            Writer().open_array().raw(shown(key)).raw(shown(value)).close_array().str());
    }
    std::ranges::sort(entries);
    return with_items("map", entries);
}

std::string shown_list(const belay::expr::List& list) {
    std::vector<std::string> items;
    for (const Value& item : list) items.push_back(shown(item));
    return with_items("list", items);
}

std::string shown(const Value& value) {
    switch (value.kind()) {
        case Kind::null: return R"(["null"])";
        case Kind::boolean: return pair("bool", value.boolean() ? "true" : "false");
        case Kind::integer: return pair("int", std::to_string(value.integer()));
        case Kind::unsigned_integer: return pair("uint", std::to_string(value.unsigned_integer()));
        case Kind::real: return pair("double", bits_of(value.real()));
        case Kind::text: return pair("string", value.text());
        case Kind::bytes: return pair("bytes", belay::json::base64(value.bytes()));
        case Kind::list: return shown_list(value.list());
        case Kind::map: return shown_map(value.map());
        case Kind::timestamp:
            return pair("timestamp",
                        std::to_string(value.timestamp().seconds) + "." +
                            std::to_string(value.timestamp().nanos));
        case Kind::duration:
            return pair("duration",
                        std::to_string(value.duration().seconds) + "." +
                            std::to_string(value.duration().nanos));
        default: return pair("other", to_string(value.kind()));
    }
}

// ---- Expressions -------------------------------------------------------------------------------

enum class Type : std::uint8_t {
    boolean,
    integer,
    uint,
    real,
    text,
    bytes,
    ints,
    texts,
    map,
    time,
    span
};
constexpr int kTypes = 11;

/// Patterns in which %b, %i, %u, %d, %s, %y, %I, %S, %m, %t and %p stand for an expression of the
/// type, as in kLetters.
constexpr std::string_view kLetters = "biudsyISmtp";

constexpr std::array kBooleans{"true",
                               "false",
                               "flag",
                               "%b && %b",
                               "%b || %b",
                               "!%b",
                               "%b ? %b : %b",
                               "%i == %i",
                               "%i < %i",
                               "%i <= %i",
                               "%i > %d",
                               "%i >= %i",
                               "%i != %i",
                               "%u == %u",
                               "%u < %u",
                               "%d < %d",
                               "%d == %i",
                               "%s == %s",
                               "%s < %s",
                               "%y == %y",
                               "%y < %y",
                               "%I == %I",
                               "%m == %m",
                               "%S != %S",
                               "%t < %t",
                               "%p < %p",
                               "%t == %t",
                               "%i in %I",
                               "%s in %S",
                               "%s in %m",
                               "has(m.a)",
                               "has(m.zz)",
                               "%s.contains(%s)",
                               "%s.startsWith(%s)",
                               "%s.endsWith(%s)",
                               "%s.matches('^[a-c]+')",
                               "%s.matches('b.?$')",
                               "%I.all(e, e > %i)",
                               "%I.exists(e, e == %i)",
                               "%I.exists_one(e, e < %i)",
                               "%S.all(e, e.size() < 3)",
                               "%m.exists(k, k == %s)",
                               "%b == %b",
                               "bool('true')",
                               "bool(%s)",
                               "%i in %m",
                               "type(%i) == int",
                               "%u in [1u, 2u]"};
constexpr std::array kIntegers{"0",
                               "1",
                               "-1",
                               "2",
                               "7",
                               "42",
                               "x",
                               "big",
                               "9223372036854775807",
                               "-9223372036854775808",
                               "%i + %i",
                               "%i - %i",
                               "%i * %i",
                               "%i / %i",
                               "%i % %i",
                               "-(%i)",
                               "%b ? %i : %i",
                               "size(%s)",
                               "%s.size()",
                               "%I.size()",
                               "size(%m)",
                               "size(%y)",
                               "int(%u)",
                               "int(%d)",
                               "int(%s)",
                               "int('12')",
                               "%I[%i]",
                               "%I[0]",
                               "m.a",
                               "m['b']",
                               "%m[%s]",
                               "int(%t)",
                               "%t.getFullYear()",
                               "%t.getMonth()",
                               "%t.getDate()",
                               "%t.getDayOfMonth()",
                               "%t.getDayOfWeek()",
                               "%t.getDayOfYear()",
                               "%t.getHours()",
                               "%t.getMinutes('+05:30')",
                               "%t.getSeconds()",
                               "%t.getMilliseconds()",
                               "%p.getHours()",
                               "%p.getMinutes()",
                               "%p.getSeconds()",
                               "%s.indexOf(%s)",
                               "%s.lastIndexOf(%s)",
                               "0x1F",
                               "[1, 2, 3][%i]",
                               "{'k': 5}['k']",
                               "{1: 2, 3: 4}[%i]"};
constexpr std::array kUints{"0u",
                            "1u",
                            "7u",
                            "18446744073709551615u",
                            "n",
                            "%u + %u",
                            "%u - %u",
                            "%u * %u",
                            "%u / %u",
                            "%u % %u",
                            "uint(%i)",
                            "uint(%d)",
                            "uint('3')",
                            "%b ? %u : %u"};
constexpr std::array kReals{"0.0",
                            "1.5",
                            "-2.25",
                            "1e10",
                            "1e-3",
                            "1e300",
                            "r",
                            "%d + %d",
                            "%d - %d",
                            "%d * %d",
                            "%d / %d",
                            "-(%d)",
                            "double(%i)",
                            "double(%u)",
                            "double('1.25')",
                            "double(%s)",
                            "%b ? %d : %d"};
constexpr std::array kTexts{"''",
                            "'a'",
                            "\"b\"",
                            "'abc'",
                            "'äöü'",
                            "'\\n\\t\\\\'",
                            "'\\u00e9'",
                            "r'\\d'",
                            "'''x'y'''",
                            "t",
                            "'😀'",
                            "%s + %s",
                            "%b ? %s : %s",
                            "string(%i)",
                            "string(%u)",
                            "string(%b)",
                            "string(%s)",
                            "%S[%i]",
                            "%S[0]",
                            "string(%y)",
                            "string(%t)",
                            "string(%p)",
                            "%s.lowerAscii()",
                            "%s.upperAscii()",
                            "%s.trim()",
                            "%s.replace(%s, %s)",
                            "%s.substring(%i)",
                            "%s.substring(0, %i)",
                            "%s.charAt(%i)",
                            "%S.join()",
                            "%S.join('-')",
                            "'%s'.format([%s])",
                            "'%d'.format([%i])",
                            "'12'",
                            "' x '"};
constexpr std::array kBytes{
    "b''", "b'a'", "b'\\xff\\x00'", "b'ä'", "%y + %y", "bytes(%s)", "%b ? %y : %y"};
constexpr std::array kInts{"[]",
                           "[1]",
                           "[1, 2, 3]",
                           "l",
                           "[%i, %i]",
                           "%I + %I",
                           "%I.map(e, e + %i)",
                           "%I.filter(e, e > %i)",
                           "%I.map(e, e > %i, e * 2)",
                           "%b ? %I : %I",
                           "%S.map(e, e.size())"};
constexpr std::array kTextLists{"['a', 'b']",
                                "[%s, %s]",
                                "%S + %S",
                                "%S.filter(e, e != %s)",
                                "%s.split('b')",
                                "%s.split('', 2)",
                                "%S.map(e, e + %s)",
                                "%m.map(k, k)",
                                "['']"};
constexpr std::array kMaps{
    "{}", "m", "{'a': 1}", "{'a': %i, 'b': %i}", "{%s: %i}", "%b ? %m : %m", "{%s: %i, %s: %i}"};
constexpr std::array kTimes{"timestamp('2024-02-29T23:59:59Z')",
                            "timestamp('1969-12-31T23:59:59.5Z')",
                            "timestamp('2023-01-01T00:00:00+02:00')",
                            "timestamp(%i)",
                            "%t + %p",
                            "%t - %p",
                            "%p + %t",
                            "timestamp(%s)",
                            "timestamp('9999-12-31T23:59:59Z')"};
constexpr std::array kSpans{"duration('1h')",
                            "duration('-1.5s')",
                            "duration('1m30s')",
                            "duration('250ms')",
                            "%t - %t",
                            "%p + %p",
                            "%p - %p",
                            "duration(%s)"};

std::span<const char* const> patterns_of(Type type) {
    switch (type) {
        case Type::boolean: return kBooleans;
        case Type::integer: return kIntegers;
        case Type::uint: return kUints;
        case Type::real: return kReals;
        case Type::text: return kTexts;
        case Type::bytes: return kBytes;
        case Type::ints: return kInts;
        case Type::texts: return kTextLists;
        case Type::map: return kMaps;
        case Type::time: return kTimes;
        case Type::span: return kSpans;
    }
    return kBooleans;
}

class Maker {
public:
    explicit Maker(std::uint64_t seed) : random_(seed) {}

    std::string make() { return make(static_cast<Type>(below(kTypes)), 3); }

private:
    /// `%s` in the text of a format is no type: the quotes before it tell.
    static bool is_hole(std::string_view pattern, std::size_t at) {
        return pattern[at] == '%' && at + 1 < pattern.size() &&
               kLetters.contains(pattern[at + 1]) && (at == 0 || pattern[at - 1] != '\'');
    }

    std::string make(Type type, int depth) {
        // Now and then something of another type, which both must refuse.
        if (below(60) == 0) type = static_cast<Type>(below(kTypes));
        const std::span<const char* const> patterns = patterns_of(type);
        std::string_view pattern = patterns[below(patterns.size())];
        while (depth == 0 && has_hole(pattern)) pattern = patterns[below(patterns.size())];
        std::string text;
        for (std::size_t i = 0; i < pattern.size(); ++i) {
            if (!is_hole(pattern, i)) {
                text += pattern[i];
                continue;
            }
            const std::size_t letter = kLetters.find(pattern[++i]);
            text.append("(").append(make(static_cast<Type>(letter), depth - 1)).append(")");
        }
        return text;
    }

    static bool has_hole(std::string_view pattern) {
        for (std::size_t i = 0; i < pattern.size(); ++i) {
            if (is_hole(pattern, i)) return true;
        }
        return false;
    }

    std::size_t below(std::size_t limit) { return static_cast<std::size_t>(random_() % limit); }

    std::mt19937_64 random_;
};

Map variables() {
    Map m =
        *Map::make({{Value("a"), Value(std::int64_t{1})}, {Value("b"), Value(std::int64_t{-2})}});
    return *Map::make({
        {Value("x"), Value(std::int64_t{3})},
        {Value("big"), Value(std::int64_t{9'007'199'254'740'993})},
        {Value("n"), Value(std::uint64_t{5})},
        {Value("r"), Value(0.1)},
        {Value("t"), Value("cab")},
        {Value("flag"), Value(true)},
        {Value("l"), Value(belay::expr::List{Value(std::int64_t{4}), Value(std::int64_t{0})})},
        {Value("m"), Value(std::move(m))},
    });
}

std::string result_of(const std::string& source, const Map& names) {
    const auto program = belay::expr::Program::parse(source);
    if (!program) return pair("error", to_string(program.error()));
    const auto value = program->run(names);
    return value ? shown(*value) : pair("error", to_string(value.error()));
}

std::uint64_t number_in(const char* text) {
    std::uint64_t number = 0;
    const std::string_view all(text);
    std::from_chars(all.data(), all.data() + all.size(), number);
    return number;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 3) {
        std::fprintf(stderr, "usage: cel_cases SEED COUNT\n");
        return 2;
    }
    Maker maker(number_in(argv[1]));
    const Map names = variables();
    Writer first;
    first.open_object().key("variables").open_object();
    for (const auto& [name, value] : names.entries()) first.key(name.text()).raw(shown(value));
    std::printf("%s\n", first.close_object().close_object().str().c_str());
    for (std::uint64_t i = number_in(argv[2]); i > 0; --i) {
        const std::string source = maker.make();
        Writer line;
        line.open_object().field("expr", source).key("result").raw(result_of(source, names));
        std::printf("%s\n", line.close_object().str().c_str());
    }
    return 0;
}
