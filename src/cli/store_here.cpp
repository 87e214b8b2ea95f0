#include "cli/store_here.hpp"

#include <algorithm>
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
