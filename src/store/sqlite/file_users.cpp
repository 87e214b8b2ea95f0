#include "store/sqlite/file_users.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <charconv>
#include <filesystem>
#include <fstream>
#include <optional>

namespace belay::sqlite {

namespace {

namespace fs = std::filesystem;

/// A file, whatever it is called.
struct FileIdentity {
    dev_t device = 0;
    ino_t number = 0;
    bool operator==(const FileIdentity&) const = default;
};

std::optional<FileIdentity> identity_of(const std::string& path) {
    struct stat status{};
    if (::stat(path.c_str(), &status) != 0) return std::nullopt;
    return FileIdentity{status.st_dev, status.st_ino};
}

std::optional<int> process_number(const std::string& name) {
    int pid = 0;
    const char* const end = name.data() + name.size();
    const auto [stopped, problem] = std::from_chars(name.data(), end, pid);
    if (problem != std::errc() || stopped != end) return std::nullopt;
    return pid;
}

std::string program_of(int pid) {
    std::ifstream file("/proc/" + std::to_string(pid) + "/comm");
    std::string name;
    std::getline(file, name);
    return name;
}

}  // namespace

std::vector<FileUser> users_of(const std::string& path) {
    const auto file = identity_of(path);
    const auto lock = identity_of(path + "-lock");
    std::vector<FileUser> users;
    std::error_code problem;
    for (const fs::directory_entry& process : fs::directory_iterator("/proc", problem)) {
        const auto pid = process_number(process.path().filename().string());
        if (!pid || *pid == ::getpid()) continue;
        bool has_file = false;
        bool has_lock = false;
        std::error_code hidden;
        fs::directory_iterator open(process.path() / "fd", hidden);
        for (; !hidden && open != fs::directory_iterator(); open.increment(hidden)) {
            const auto identity = identity_of(open->path().string());
            if (!identity) continue;
            has_file = has_file || identity == file;
            has_lock = has_lock || identity == lock;
        }
        if (has_file) users.push_back({*pid, program_of(*pid), has_lock});
    }
    return users;
}

}  // namespace belay::sqlite
