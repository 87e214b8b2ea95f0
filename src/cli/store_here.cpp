#include "cli/store_here.hpp"

#include <algorithm>
#include <string_view>
#include <system_error>

namespace belay::cli {

namespace fs = std::filesystem;

std::vector<fs::path> stores_in(const fs::path& folder) {
    std::vector<fs::path> stores;
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(folder, ignored)) {
        if (entry.path().extension() == ".db") stores.push_back(entry.path());
    }
    std::ranges::sort(stores);
    return stores;
}

namespace {

/// True for "backup-7", "backup-7/dump-3", "backup" and "backup@3" of the flow "backup".
bool is_of_flow(std::string_view word, const std::string& flow) {
    if (!word.starts_with(flow)) return false;
    word.remove_prefix(flow.size());
    if (word.empty()) return true;
    const bool is_run = word.starts_with('-');
    if (!is_run && !word.starts_with('@')) return false;
    word = word.substr(1, word.find('/') - 1);
    return !word.empty() && word.find_first_not_of("0123456789") == std::string_view::npos;
}

}  // namespace

std::optional<fs::path> store_of_words(const std::vector<fs::path>& stores,
                                       const std::vector<std::string>& words) {
    std::optional<fs::path> found;
    for (const fs::path& store : stores) {
        const std::string flow = store.stem().string();
        const bool named =
            std::ranges::any_of(words, [&](const auto& word) { return is_of_flow(word, flow); });
        if (!named) continue;
        if (found) return std::nullopt;
        found = store;
    }
    return found;
}

std::string sqlite_url(const std::string& path) {
    std::string url = "sqlite:";
    for (const char c : path) {
        switch (c) {
            case '%': url += "%25"; break;
            case '?': url += "%3F"; break;
            case '#': url += "%23"; break;
            default: url += c;
        }
    }
    return url;
}

}  // namespace belay::cli
