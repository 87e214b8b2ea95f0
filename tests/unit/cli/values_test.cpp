// Values of the command line: times, stores, settings, payloads; and the JSON that is printed.
#include "cli/values.hpp"

#include "cli/exit_code.hpp"
#include "cli/payload_view.hpp"
#include "cli/settings.hpp"
#include "cli/store_url.hpp"
#include "support/temporary_directory.hpp"
#include <belay/codec.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace belay::cli {
namespace {

using ::testing::HasSubstr;
using namespace std::chrono_literals;

TEST(CliValues, Durations) {
    EXPECT_EQ(format_duration(350ms), "350ms");
    EXPECT_EQ(format_duration(12'540ms), "12.5s");
    EXPECT_EQ(format_duration(192s), "3m12s");
    EXPECT_EQ(format_duration(125min), "2h05m");
    EXPECT_EQ(format_duration(99h), "4d03h");
}

TEST(CliValues, Times) {
    const Timestamp at = from_unix_ms(1'794'759'752'345);
    EXPECT_EQ(format_time(at), "2026-11-15T16:22:32.345Z");
    EXPECT_EQ(parse_time("2026-11-15T16:22:32.345Z"), at);
    EXPECT_EQ(parse_time("2026-11-15 17:22:32.345+01:00"), at);
    EXPECT_EQ(format_time(parse_time("2026-02-28").value()), "2026-02-28T00:00:00.000Z");
    for (const char* bad : {"",
                            "2026-02-30",
                            "2026-13-01",
                            "26-01-01",
                            "2026-11-15T16:22:32",
                            "2026-11-15T24:00:00Z",
                            "2026-11-15T16:22:32Zx"}) {
        EXPECT_EQ(parse_time(bad), std::nullopt) << bad;
    }
}

TEST(CliStoreUrl, NamesAFile) {
    EXPECT_EQ(parse_store_url("sqlite:a/b.db")->path, "a/b.db");
    EXPECT_EQ(parse_store_url("sqlite:/a/b.db")->path, "/a/b.db");
    EXPECT_EQ(parse_store_url("sqlite:///a/b%20c%3F.db")->path, "/a/b c?.db");
    const auto url = parse_store_url("sqlite:x.db?synchronous=normal&lock_timeout=5s");
    ASSERT_TRUE(url.ok());
    EXPECT_EQ(url->options.synchronous(), Synchronous::normal);
    EXPECT_EQ(url->options.lock_timeout(), 5s);
}

TEST(CliStoreUrl, MistakesArePlain) {
    const auto message = [](const char* text) {
        const auto url = parse_store_url(text);
        return url ? std::string("fine") : url.error().message();
    };
    EXPECT_THAT(message("orders.db"), HasSubstr("a file is named as sqlite:orders.db"));
    EXPECT_THAT(message("postgres://host/db"), HasSubstr("postgres: not in this build"));
    EXPECT_THAT(message("sqlite:"), HasSubstr("has no path"));
    EXPECT_THAT(message("sqlite://host/x"), HasSubstr("names a host"));
    EXPECT_THAT(message("sqlite:a%2"), HasSubstr("'%'"));
    EXPECT_THAT(message("sqlite:a?mode=x"), HasSubstr("does not know 'mode'"));
    EXPECT_THAT(message("sqlite:a?synchronous=off"), HasSubstr("full or normal"));
}

struct Surroundings {
    explicit Surroundings(const std::string& directory) {
        environment.directory = directory;
        environment.variable = [this](const std::string& name) {
            const auto found = variables.find(name);
            return found == variables.end() ? std::nullopt
                                            : std::optional<std::string>(found->second);
        };
    }
    std::map<std::string, std::string> variables;
    Environment environment;
};

TEST(CliSettings, TheCommandLineComesFirstThenTheEnvironmentThenAFile) {
    const support::TemporaryDirectory here;
    const support::TemporaryDirectory home;
    std::filesystem::create_directories(home.file(".config/belay"));
    std::ofstream(home.file(".config/belay/config")) << "store = 'sqlite:/home.db'\n";
    Surroundings around(here.path());
    around.variables["HOME"] = home.path();
    EXPECT_EQ(settings_of({}, around.environment).store, "sqlite:/home.db");
    std::ofstream(here.file("belay.toml"))
        << "# ours\nstore = \"sqlite:here.db\" # beside\nspace = \"shop\"\n";
    EXPECT_EQ(settings_of({}, around.environment).store, "sqlite:" + here.path() + "/here.db");
    EXPECT_EQ(settings_of({}, around.environment).space, "shop");
    around.variables["BELAY_STORE"] = "sqlite:env.db";
    EXPECT_EQ(settings_of({}, around.environment).store, "sqlite:env.db");
    EXPECT_EQ(settings_of({}, around.environment).space, "shop");
    const Command top{.name = "t", .summary = "t"};
    const Parsed parsed = parse(top, {"--store", "sqlite:said.db", "--space", "x"});
    EXPECT_EQ(settings_of(parsed.arguments, around.environment).store, "sqlite:said.db");
    EXPECT_EQ(settings_of(parsed.arguments, around.environment).space, "x");
}

TEST(CliSettings, KeysBelongToTheStoreThatTheFileNames) {
    const support::TemporaryDirectory here;
    Surroundings around(here.path());
    std::ofstream(here.file("belay.toml")) << "store = 'sqlite:here.db'\nkeys = 'secret/keys'\n";
    EXPECT_EQ(settings_of({}, around.environment).keys, here.file("secret/keys"));
    around.variables["BELAY_STORE"] = "sqlite:env.db";
    EXPECT_EQ(settings_of({}, around.environment).keys, "") << "another store has other keys";
    around.variables["BELAY_KEYS"] = "mine";
    EXPECT_EQ(settings_of({}, around.environment).keys, "mine");
}

TEST(CliSettings, MistakesInAFileNameTheLine) {
    const auto mistake = [](const char* text) -> std::string {
        try {
            (void)read_settings(text, "belay.toml");
        } catch (const Problem& problem) {
            return problem.what();
        }
        return "none";
    };
    EXPECT_THAT(mistake("\nstor = \"x\"\n"),
                HasSubstr("belay.toml, line 2: unknown setting 'stor'"));
    EXPECT_THAT(mistake("store = sqlite:x\n"), HasSubstr("line 1: not a setting"));
    EXPECT_THAT(mistake("store\n"), HasSubstr("line 1: not a setting"));
    EXPECT_EQ(mistake("# nothing\n\n"), "none");
    EXPECT_EQ(mistake("space = 'x'\n[[retention.instances]]\nmax_count = 7\n"), "none");
}

Payload value(const std::string& word) {
    return parse_value(word, [](const std::string& path) { return "content of " + path; });
}

TEST(CliPayload, ValuesAreWhatTheyLookLike) {
    EXPECT_EQ(value("order-7"), Payload::text("order-7"));
    EXPECT_EQ(value("-42"), Codec<std::int64_t>::encode(-42));
    EXPECT_EQ(value("4.50"), Codec<double>::encode(4.5));
    EXPECT_EQ(value("true"), Codec<bool>::encode(true));
    EXPECT_EQ(value("{\"a\": [1]}"), Payload(PayloadCodec::json, "{\"a\": [1]}"));
    EXPECT_EQ(value("{oops"), Payload::text("{oops"));
    EXPECT_EQ(value("nan"), Payload::text("nan"));
    EXPECT_EQ(value("99999999999999999999"), Codec<double>::encode(1e20)) << "no integer so large";
}

TEST(CliPayload, APrefixSaysWhichItIs) {
    EXPECT_EQ(value("text:42"), Payload::text("42"));
    EXPECT_EQ(value("json:42"), Payload(PayloadCodec::json, "42"));
    EXPECT_EQ(value("bytes:AAH/"), Payload(PayloadCodec::bytes, std::string("\0\1\xff", 3)));
    EXPECT_EQ(value("@file"), Payload::text("content of file"));
    EXPECT_THROW((void)value("integer:x"), Problem);
    EXPECT_THROW((void)value("json:{"), Problem);
    EXPECT_THROW((void)value("bytes:A"), Problem);
}

TEST(CliPayload, SeveralAreWhatTheLibraryMakesOfArguments) {
    const auto read = [](const std::string&) { return std::string(); };
    EXPECT_EQ(parse_values({}, read), Payload());
    EXPECT_EQ(parse_values({"7"}, read), Codec<int>::encode(7));
    EXPECT_EQ(parse_values({"a", "7"}, read), (detail::encode_arguments<std::string, int>("a", 7)));
}

std::string as_json(const Payload& payload) {
    JsonWriter out;
    write_payload(out, payload);
    return out.str();
}

TEST(CliPayload, IsPrintedForPeopleAndForScripts) {
    const Payload both = detail::encode_arguments<std::string, int>("a\n\"b", 7);
    EXPECT_EQ(payload_line(both), "(a\n\"b, 7)");
    EXPECT_EQ(as_json(both),
              R"({"codec":"arguments","value":[{"codec":"text","value":"a\n\"b"},)"
              R"({"codec":"integer","value":7}]})");
    const Payload lists = Codec<std::vector<std::vector<int>>>::encode({{}, {1, 2}});
    EXPECT_EQ(payload_line(lists), "((), (1, 2))");
    EXPECT_EQ(as_json(lists),
              R"({"codec":"arguments","value":[{"codec":"arguments","value":[]},)"
              R"({"codec":"arguments","value":[{"codec":"integer","value":1},)"
              R"({"codec":"integer","value":2}]}]})");
    EXPECT_EQ(payload_line(Codec<std::vector<std::string>>::encode({"", "a"})), "(, a)");
    EXPECT_EQ(as_json(Payload()), "null");
    EXPECT_EQ(as_json(Payload(PayloadCodec::json, "{\"a\":\n1}")),
              "{\"codec\":\"json\",\"value\":{\"a\": 1}}");
    const Payload bytes(PayloadCodec::bytes, std::string("\0\1\xff", 3));
    EXPECT_EQ(payload_line(bytes), "bytes, base64:AAH/");
    EXPECT_EQ(as_json(bytes), R"({"codec":"bytes","base64":"AAH/"})");
    Payload packed = Payload::text("x");
    packed.flags = 3;
    EXPECT_EQ(as_json(packed), R"({"codec":"text","flags":3,"base64":"eA=="})");
    Payload sealed = Payload::text(std::string("\1\7\0\0\0", 5) + std::string(48, 'x'));
    sealed.flags = 4;
    EXPECT_EQ(payload_line(sealed), "encrypted (key 7)");
    EXPECT_THAT(as_json(sealed), HasSubstr(R"("flags":4,"encrypted_with":7,"base64":)"));
    EXPECT_EQ(as_json(Payload::text("\xff")), R"({"codec":"text","base64":"/w=="})");
    EXPECT_EQ(as_json(Payload(PayloadCodec::json, "{")), R"({"codec":"json","base64":"ew=="})");
    EXPECT_EQ(as_json(Payload(PayloadCodec::arguments, "\xff")),
              R"({"codec":"arguments","base64":"/w=="})");
}

TEST(CliJson, KnowsWhatIsJson) {
    for (const char* good :
         {"0", "-1.5e+3", "\"a\\u00e9\"", "[]", "[1, {\"a\": null}]", " true "}) {
        EXPECT_TRUE(is_json(good)) << good;
    }
    for (const char* bad : {"",
                            "01",
                            "1.",
                            "+1",
                            "\"\x01\"",
                            "\"\\x\"",
                            "[1,]",
                            "{a:1}",
                            "tru",
                            "1 2",
                            "\"",
                            "nul",
                            "{\"a\" 1}"}) {
        EXPECT_FALSE(is_json(bad)) << bad;
    }
    EXPECT_FALSE(is_json(std::string(1'000'000, '['))) << "depth is bounded";
}

TEST(CliJson, WritesOneLine) {
    JsonWriter out;
    out.open_object().field("a", "x\n\x1b\xff").field("b", 1).field("c", true).key("d");
    out.open_array().number(1).number(2.5).null().close_array().close_object();
    EXPECT_EQ(out.str(),
              "{\"a\":\"x\\n\\u001b\xEF\xBF\xBD\",\"b\":1,\"c\":true,\"d\":[1,2.5,null]}");
}

}  // namespace
}  // namespace belay::cli
