// A store file for one measurement.
#pragma once

#include "measure.hpp"
#include <belay/store/sqlite.hpp>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

namespace belay::bench {

/// Its own directory, which goes with it. On a real disk: where the temporary directory is.
class SqliteFile {
public:
    SqliteFile();
    SqliteFile(const SqliteFile&) = delete;
    SqliteFile& operator=(const SqliteFile&) = delete;
    ~SqliteFile();

    [[nodiscard]] std::string path() const { return (directory_ / "belay.db").string(); }
    [[nodiscard]] std::unique_ptr<Store> open(Synchronous synchronous) const;

private:
    std::filesystem::path directory_;
};

}  // namespace belay::bench
