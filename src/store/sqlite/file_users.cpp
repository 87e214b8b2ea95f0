#include "store/sqlite/file_users.hpp"

#include "store/sqlite/file_identity.hpp"

#include <unistd.h>

#include <charconv>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

namespace belay::sqlite {

namespace {

namespace fs = std::filesystem;

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

bool is_stopped(int pid) {
    std::ifstream file("/proc/" + std::to_string(pid) + "/status");
    for (std::string line; std::getline(file, line);) {
        if (line.starts_with("State:")) return line.find_first_of("Tt", 6) == 7;
    }
    return false;
}

/// True if `information`, a file of /proc/PID/fdinfo, has a line such as
/// "lock: 1: OFDLCK ADVISORY WRITE -1 fe:00:9978056 1 1" for the byte.
bool has_write_lock(const fs::path& information, int byte) {
    std::ifstream file(information);
    for (std::string line; std::getline(file, line);) {
        std::istringstream words(line);
        std::string label, number, kind, advisory, type, owner, place, first;
        words >> label >> number >> kind >> advisory >> type >> owner >> place >> first;
        if (label == "lock:" && kind == "OFDLCK" && type == "WRITE" &&
            first == std::to_string(byte)) {
            return true;
        }
    }
    return false;
}

/// Calls `visit(pid, descriptor)` for each open file that this user may see, until it returns true.
template <class Visit>
void for_each_open_file(Visit visit) {
    std::error_code problem;
    for (const fs::directory_entry& process : fs::directory_iterator("/proc", problem)) {
        const auto pid = process_number(process.path().filename().string());
        if (!pid) continue;
        std::error_code hidden;
        fs::directory_iterator open(process.path() / "fd", hidden);
        for (; !hidden && open != fs::directory_iterator(); open.increment(hidden)) {
            if (visit(*pid, open->path())) return;
        }
    }
}

/// Returns the name of the removed file of the set of `path` that this descriptor has open.
std::string removed_file(const fs::path& descriptor, const std::string& path) {
    std::error_code hidden;
    const std::string name = fs::read_symlink(descriptor, hidden).string();
    if (hidden) return {};
    for (const char* suffix : {"", "-wal", "-shm", "-lock", "-news"}) {
        if (name == path + suffix + " (deleted)") return path + suffix;
    }
    return {};
}

}  // namespace

std::vector<FileUser> users_of(const std::string& path) {
    const auto file = identity_of(path);
    const auto lock = identity_of(path + "-lock");
    struct Use {
        bool file = false;
        bool lock = false;
        std::string removed;
    };
    std::map<int, Use> found;
    for_each_open_file([&](int pid, const fs::path& descriptor) {
        const auto identity = identity_of(descriptor.string());
        if (!identity || pid == ::getpid()) return false;
        if (identity == file) found[pid].file = true;
        if (identity == lock) found[pid].lock = true;
        const std::string removed = removed_file(descriptor, path);
        if (removed.empty()) return false;
        found[pid].removed = removed;
        if (removed.ends_with("-lock")) found[pid].lock = true;
        return false;
    });
    std::vector<FileUser> users;
    for (const auto& [pid, use] : found) {
        if (!use.file && use.removed.empty()) continue;
        users.push_back({pid, program_of(pid), use.lock, use.removed});
    }
    return users;
}

std::optional<LockHolder> holder_of_lock(int descriptor, int byte) {
    const auto wanted = identity_of(descriptor);
    std::optional<LockHolder> holder;
    if (!wanted) return holder;
    for_each_open_file([&](int pid, const fs::path& open) {
        if (identity_of(open.string()) != wanted) return false;
        const fs::path information = open.parent_path().parent_path() / "fdinfo" / open.filename();
        if (!has_write_lock(information, byte)) return false;
        holder = LockHolder{pid, program_of(pid), is_stopped(pid)};
        return true;
    });
    return holder;
}

}  // namespace belay::sqlite
