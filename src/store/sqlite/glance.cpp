#include "store/sqlite/glance.hpp"

#include "store/sqlite/schema.hpp"

#include <sqlite3.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <fstream>
#include <optional>

namespace belay::sqlite {

namespace {

constexpr int kTablesNamed = 3;

/// The layout of a log: a header, then frames of a header and a page. All numbers are big-endian.
struct LogLayout {
    static constexpr std::size_t kHeaderBytes = 32;
    static constexpr std::size_t kFrameBytes = 24;  ///< The size of a frame's header.
    static constexpr std::size_t kPageSize = 8;     ///< Offset in the header.
    static constexpr std::size_t kSalt = 16;        ///< In the header.
    static constexpr std::size_t kFrameSalt = 8;    ///< In a frame's header.
    static constexpr std::size_t kSaltBytes = 8;
    /// In a frame's header: the size of the database after a commit, and 0 in all other frames.
    static constexpr std::size_t kCommit = 4;
    static constexpr std::size_t kApplication = 68;  ///< In the first page of a database.
    static constexpr std::uint32_t kSmallestPage = 512;
    static constexpr std::uint32_t kLargestPage = 65'536;
};

std::uint32_t big_endian(const char* bytes) {
    std::uint32_t number = 0;
    for (int i = 0; i < 4; ++i) number = number << 8U | static_cast<unsigned char>(bytes[i]);
    return number;
}

/// Returns the application id that the last commit in the log gave the first page. Returns none if
/// no commit in it changed that page. SQLite has no lock on the log, so it may be closed here.
std::optional<std::int64_t> application_in_log(const std::string& path) {
    using Layout = LogLayout;
    std::ifstream log(path + "-wal", std::ios::binary);
    std::array<char, Layout::kHeaderBytes> header{};
    if (!log.read(header.data(), header.size())) return std::nullopt;
    const std::uint32_t page_bytes = big_endian(&header[Layout::kPageSize]);
    if (page_bytes < Layout::kSmallestPage || page_bytes > Layout::kLargestPage) {
        return std::nullopt;
    }
    std::array<char, Layout::kFrameBytes> frame{};
    std::optional<std::int64_t> committed;
    std::optional<std::int64_t> latest;
    while (log.read(frame.data(), frame.size())) {
        const bool current = std::equal(&header[Layout::kSalt],
                                        &header[Layout::kSalt] + Layout::kSaltBytes,
                                        &frame[Layout::kFrameSalt]);
        if (!current) break;
        const std::streamoff page = log.tellg();
        if (big_endian(frame.data()) == 1) {
            std::array<char, 4> id{};
            log.seekg(page + static_cast<std::streamoff>(Layout::kApplication));
            if (!log.read(id.data(), id.size())) break;
            latest = static_cast<std::int32_t>(big_endian(id.data()));
        }
        if (big_endian(&frame[Layout::kCommit]) != 0) committed = latest;
        log.seekg(page + static_cast<std::streamoff>(page_bytes));
    }
    return committed;
}

/// Reads the file as it is on the disk. Goes through SQLite, because closing a descriptor of our
/// own would drop the locks of all connections that this process has on the file. Another program
/// could then remove its log.
class Glance {
public:
    explicit Glance(const std::string& path) {
        code_ = sqlite3_open_v2(uri_of(path, "immutable=1").c_str(),
                                &db_,
                                SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX,
                                nullptr);
    }
    ~Glance() { sqlite3_close(db_); }
    Glance(const Glance&) = delete;
    Glance& operator=(const Glance&) = delete;

    /// Returns none if it cannot be read.
    [[nodiscard]] std::optional<std::int64_t> number(const char* sql) {
        std::optional<std::int64_t> found;
        for_each_row(sql, [&](sqlite3_stmt* row) { found = sqlite3_column_int64(row, 0); });
        return found;
    }
    /// True if a read showed that the file is no database.
    [[nodiscard]] bool foreign_format() const { return (code_ & 0xff) == SQLITE_NOTADB; }

    /// Returns ", with the tables a, b and others" or nothing.
    [[nodiscard]] std::string tables() {
        std::string names;
        int count = 0;
        for_each_row(
            "select name from sqlite_schema where type = 'table' order by rowid",
            [&](sqlite3_stmt* row) {
                if (++count > kTablesNamed) return;
                const auto* name = reinterpret_cast<const char*>(sqlite3_column_text(row, 0));
                names += (count > 1 ? ", " : "") + std::string(name == nullptr ? "" : name);
            });
        if (count == 0) return {};
        return (count == 1 ? ", with the table " : ", with the tables ") + names +
               (count > kTablesNamed ? " and " + std::to_string(count - kTablesNamed) + " more"
                                     : "");
    }

private:
    template <class Visit>
    void for_each_row(const char* sql, Visit visit) {
        if (code_ != SQLITE_OK && code_ != SQLITE_DONE) return;
        sqlite3_stmt* statement = nullptr;
        code_ = sqlite3_prepare_v2(db_, sql, -1, &statement, nullptr);
        while (code_ == SQLITE_OK || code_ == SQLITE_ROW) {
            code_ = sqlite3_step(statement);
            if (code_ == SQLITE_ROW) visit(statement);
        }
        sqlite3_finalize(statement);
    }

    sqlite3* db_ = nullptr;
    int code_ = SQLITE_OK;
};

}  // namespace

std::string uri_of(const std::string& path, const std::string& parameters) {
    std::string uri = "file:";
    for (const char byte : path) {
        switch (byte) {
            case '%': uri += "%25"; break;
            case '?': uri += "%3f"; break;
            case '#': uri += "%23"; break;
            default: uri += byte;
        }
    }
    return uri + "?" + parameters;
}

Error foreign_file(const std::string& contents) {
    return Error(Errc::unsupported, "the file is a database of another program: " + contents);
}

std::string describe_application(std::int64_t application) {
    std::string text;
    for (const unsigned shift : {24U, 16U, 8U, 0U}) {
        text += static_cast<char>(static_cast<std::uint32_t>(application) >> shift);
    }
    const bool readable =
        std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isprint(c); });
    return "application id " + std::to_string(application) +
           (readable ? " (\"" + text + "\")" : "");
}

Result<void> peek(const std::string& path) {
    Glance glance(path);
    const auto marked = glance.number("pragma application_id");
    if (glance.foreign_format()) return Error(Errc::corrupt, "the file is no database");
    if (!marked || *marked == kApplicationId) return {};
    if (*marked != 0) return foreign_file(describe_application(*marked) + glance.tables());
    // A file of ours has neither a mark nor tables until its log is first written back.
    if (const std::string tables = glance.tables(); !tables.empty()) {
        return foreign_file("without an application id" + tables);
    }
    const auto logged = application_in_log(path);
    if (!logged || *logged == kApplicationId) return {};
    return foreign_file(describe_application(*logged) + ", all of it still in its log");
}

}  // namespace belay::sqlite
