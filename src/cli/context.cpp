#include "cli/context.hpp"

#include "cli/store_here.hpp"
#include "cli/text.hpp"
#include "cli/values.hpp"
#include <belay/store/coded.hpp>
#include <belay/store/sqlite/read_only.hpp>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <istream>
#include <limits>
#include <utility>

namespace belay::cli {

namespace {

/// Reads compressed payloads and compresses nothing: perhaps the workers could not read it.
CoderChain chain_with(const std::string& key_file) {
    CompressionOptions never;
    never.at_least = std::numeric_limits<std::size_t>::max();
    CoderChain chain;
    chain.keep_unreadable().then(compression(never));
    if (key_file.empty()) return chain;
    auto keys = read_key_file(key_file);
    if (!keys) throw Problem(Exit::trouble, safe(keys.error().message()));
    chain.then(encryption(std::move(*keys)));
    return chain;
}

}  // namespace

std::shared_ptr<Store> open_file(const StoreUrl& url, Opening opening) {
    std::error_code problem;
    if (opening == Opening::existing && !std::filesystem::exists(url.path, problem)) {
        throw Problem(Exit::trouble,
                      "there is no file '" + safe(url.path) + "'",
                      "is the store right? A worker makes the file, or 'belay start --create'");
    }
    const bool has_content = std::filesystem::is_regular_file(url.path, problem) &&
                             std::filesystem::file_size(url.path, problem) > 0;
    if (opening == Opening::existing && !has_content) {
        throw Problem(Exit::trouble, "'" + safe(url.path) + "' is no file of Belay");
    }
    const bool writes = opening == Opening::create || sqlite::may_write(url.path);
    auto store = writes ? make_sqlite_store(url.path, url.options)
                        : sqlite::make_read_only_sqlite_store(url.path, url.options);
    if (store) return std::move(*store);
    const Error& error = store.error();
    // The mistake is in the file, and not in the command line.
    const Exit code =
        error.code() == Errc::invalid_argument ? Exit::trouble : exit_of(error.code());
    throw Problem(code,
                  "'" + safe(url.path) + "' cannot be opened: " + error.message(),
                  "'belay doctor' looks for the cause");
}

Context::Context(Terminal& terminal,
                 Environment environment,
                 OpenStore open,
                 const Arguments& arguments)
    : terminal_(terminal),
      environment_(std::move(environment)),
      open_(std::move(open)),
      settings_(settings_of(arguments, environment_)),
      words_(arguments.operands()),
      json_(arguments.has("json")) {}

void Context::find_store_here() {
    if (has_store()) return;
    const auto stores = stores_in(std::filesystem::path(environment_.directory) / kStoreFolder);
    if (stores.empty()) return;
    if (const auto own = store_of_words(stores, words_)) {
        use_store(sqlite_url(own->string()), kStoreFolder);
        return;
    }
    if (stores.size() > 1) {
        std::string names;
        for (const auto& store : stores) {
            names += (names.empty() ? "" : ", ") + safe(store.filename().string());
        }
        throw usage_problem("no store is named, and the folder " + std::string(kStoreFolder) +
                                " has several: " + names,
                            "say --store sqlite:" + std::string(kStoreFolder) + "/NAME.db");
    }
    use_store(sqlite_url(stores.front().string()), kStoreFolder);
}

StoreUrl Context::url() {
    find_store_here();
    if (settings_.store.empty()) {
        throw usage_problem("no store is named",
                            "say --store sqlite:PATH, set BELAY_STORE, or write "
                            "store = \"sqlite:PATH\" into belay.toml");
    }
    auto url = parse_store_url(settings_.store);
    if (url) return std::move(*url);
    throw usage_problem(url.error().message() + " (from " + safe(settings_.store_from) + ")");
}

void Context::use_store(std::string url, std::string from) {
    settings_.store = std::move(url);
    settings_.store_from = std::move(from);
}

Store& Context::store(Opening opening) {
    if (!store_) {
        CoderChain chain = chain_with(settings_.keys);
        file_ = open_(url(), opening);
        store_ = make_coded_store(*file_, std::move(chain));
    }
    return *store_;
}

Service& Context::service(Opening opening) {
    if (!service_) service_ = make_local_service(store(opening), terminal_.clock);
    return *service_;
}

Client& Context::client(Opening opening) {
    if (!client_) client_.emplace(service(opening), terminal_.clock);
    return *client_;
}

Timestamp Context::store_now() { return or_throw(service().ask(requests::Now())); }

std::string Context::user() const {
    for (const char* variable : {"USER", "LOGNAME"}) {
        const auto value = environment_.variable(variable);
        if (value && !value->empty()) return *value;
    }
    return "belay command line";
}

void Context::confirm(const Arguments& arguments, const std::string& question) {
    if (arguments.has("yes")) return;
    if (!terminal_.in_is_terminal || !terminal_.err_is_terminal) {
        throw Problem(Exit::refused,
                      question + " Nobody is there to be asked, so nothing was done.",
                      "say --yes to do it without a question");
    }
    terminal_.err << question << " [y/N] " << std::flush;
    std::string answer;
    std::getline(terminal_.in, answer);
    if (answer == "y" || answer == "Y" || answer == "yes") return;
    throw Problem(Exit::refused, "nothing was done");
}

Option yes_option() { return {.name = "yes", .help = "do not ask", .letter = 'y'}; }

std::optional<Millis> duration_option(const Arguments& arguments, const char* option) {
    const auto text = arguments.value(option);
    if (!text) return std::nullopt;
    const auto value = parse_duration(*text);
    if (value) return value;
    throw usage_problem("--" + std::string(option) + ": '" + safe(*text) +
                        "' is no duration; write 500ms, 30s, 5m, 2h, 7d, 3w, 2y or 1h30m");
}

std::optional<Timestamp> time_option(const Arguments& arguments, const char* option) {
    const auto text = arguments.value(option);
    if (!text) return std::nullopt;
    const auto value = parse_time(*text);
    if (value) return value;
    throw usage_problem("--" + std::string(option) + ": '" + safe(*text) +
                        "' is no time; write 2026-11-15 or 2026-11-15T16:00:00Z");
}

std::optional<std::uint32_t> number_option(const Arguments& arguments, const char* option) {
    const auto text = arguments.value(option);
    if (!text) return std::nullopt;
    std::uint32_t value = 0;
    const char* const end = text->data() + text->size();
    const auto [stopped, problem] = std::from_chars(text->data(), end, value);
    if (problem == std::errc() && stopped == end) return value;
    throw usage_problem("--" + std::string(option) + ": '" + safe(*text) +
                        "' is no number between 0 and 4294967295");
}

std::optional<StartRate> rate_option(const Arguments& arguments, const char* option) {
    const auto text = arguments.value(option);
    if (!text) return std::nullopt;
    const std::size_t slash = text->find('/');
    const char* const end = text->data() + std::min(slash, text->size());
    std::uint32_t count = 0;
    const auto [stopped, problem] = std::from_chars(text->data(), end, count);
    const auto per = slash == std::string::npos
                         ? std::nullopt
                         : parse_duration(std::string_view(*text).substr(slash + 1));
    if (problem == std::errc() && stopped == end && per) return StartRate{count, *per};
    throw usage_problem(
        "--" + std::string(option) + ": '" + safe(*text) + "' is no number within a time",
        "say for example --" + std::string(option) + " 100/1s");
}

}  // namespace belay::cli
