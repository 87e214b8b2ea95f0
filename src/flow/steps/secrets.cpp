#include "flow/steps/secrets.hpp"

#include "flow/steps/failures.hpp"
#include "flow/steps/small_file.hpp"
#include "json/value.hpp"

#include <cstdlib>

namespace belay::flow {

namespace {

void remove_final_newline(std::string& text) {
    if (text.ends_with('\n')) text.pop_back();
    if (text.ends_with('\r')) text.pop_back();
}

bool is_document(std::string_view text) {
    const std::size_t begin = text.find_first_not_of(" \t\r\n");
    if (begin == std::string_view::npos) return false;
    return (text[begin] == '{' || text[begin] == '[') && json::is_json(text);
}

}  // namespace

Secrets::Secrets(const SecretSources& sources) {
    if (sources.nonce.empty()) return;
    // A mark is "<secret NONCE NAME>".
    mark_ = secret_mark(sources.nonce, "");
    mark_.pop_back();
    for (const Secret& secret : sources.secrets) secrets_.emplace(secret.name, held(secret));
}

Secrets::Held Secrets::held(const Secret& secret) {
    Held held;
    if (!secret.env.empty()) {
        held.source = "environment variable " + secret.env;
        const char* const value = std::getenv(secret.env.c_str());  // NOLINT(concurrency-mt-unsafe)
        if (value != nullptr) held.value = value;
        held.problem = "it is not set";
    } else {
        held.source = "file '" + secret.file + "'";
        Result<std::string> text = read_small_file(secret.file, kLongestSecret);
        if (text) held.value = std::move(*text);
        if (!text) held.problem = text.error().message();
    }
    if (!held.value) return held;
    remove_final_newline(*held.value);
    if (held.value->empty()) {
        held.value.reset();
        held.problem = "it is empty";
    } else if (held.value->size() > kLongestSecret) {
        held.value.reset();
        held.problem = "it is longer than " + std::to_string(kLongestSecret) + " bytes";
    }
    return held;
}

const std::string& Secrets::value(std::string_view name) const {
    const auto at = secrets_.find(name);
    const std::string which = "secret '" + std::string(name) + "'";
    if (at == secrets_.end()) fail(final_failure("secret", which + " is not defined in this flow"));
    const Held& held = at->second;
    if (!held.value) {
        fail(final_failure("secret",
                           which + " cannot be read from " + held.source + ": " + held.problem));
    }
    return *held.value;
}

std::string Secrets::fill(std::string_view text) const { return fill(text, As::text); }

std::string Secrets::fill_document(std::string_view text) const {
    if (!has_mark(text)) return std::string(text);
    return fill(text, is_document(text) ? As::json : As::text);
}

bool Secrets::has_mark(std::string_view text) const {
    return !mark_.empty() && text.contains(mark_);
}

std::string Secrets::fill(std::string_view text, As as) const {
    std::string filled;
    while (has_mark(text)) {
        const std::size_t begin = text.find(mark_);
        const std::size_t end = text.find('>', begin);
        if (end == std::string_view::npos) {
            fail(final_failure("secret", "the mark of a secret is cut in two"));
        }
        const std::size_t name = begin + mark_.size();
        const std::string& secret = value(text.substr(name, end - name));
        filled += text.substr(0, begin);
        filled += as == As::json ? inside_json_string(secret) : secret;
        text.remove_prefix(end + 1);
    }
    return filled += text;
}

Masker Secrets::masker(const std::vector<std::string>& more) const {
    std::vector<std::string> all = more;
    for (const auto& [name, held] : secrets_) {
        if (held.value) all.push_back(*held.value);
    }
    return Masker(all);
}

std::vector<std::string> Secrets::too_short() const {
    std::vector<std::string> names;
    for (const auto& [name, held] : secrets_) {
        if (held.value && held.value->size() < kShortestMasked) names.push_back(name);
    }
    return names;
}

}  // namespace belay::flow
