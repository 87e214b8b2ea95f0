// A store file with a great many instances that have ended.
#pragma once

#include "sqlite_file.hpp"

#include <cstdint>
#include <string>

namespace belay::bench {

/// Finished instances with the numbers 1, 2, ... in the default namespace, twenty of each
/// millisecond, with a history of two rows each. Written by bare statements, at a twentieth of the
/// time that running them would take. Their names, owners, versions, labels and ends are spread so
/// that every filter finds much and leaves out more.
class FinishedFile {
public:
    explicit FinishedFile(std::int64_t instances);

    [[nodiscard]] const SqliteFile& file() const noexcept { return file_; }
    [[nodiscard]] std::int64_t instances() const noexcept { return instances_; }

    // Properties of the instance of this number.
    [[nodiscard]] static std::int64_t key_of(std::int64_t number);
    /// In milliseconds. It has ended five later.
    [[nodiscard]] static std::int64_t time_of(std::int64_t number);
    [[nodiscard]] static std::string id_of(std::int64_t number);
    [[nodiscard]] static std::string definition_of(std::int64_t number);
    [[nodiscard]] static std::string owner_of(std::int64_t number);
    [[nodiscard]] static std::string version_of(std::int64_t number);
    [[nodiscard]] static std::string region_of(std::int64_t number);
    [[nodiscard]] static std::int64_t status_of(std::int64_t number);
    [[nodiscard]] static bool has_label(std::int64_t number) { return number % 100 == 0; }
    /// The instances behind the first in each thousand, up to the two hundredth, are its children.
    [[nodiscard]] static std::int64_t parent_of(std::int64_t number);
    /// The number of runs that have it as their parent.
    [[nodiscard]] static std::int64_t children_of(std::int64_t number);

private:
    void fill();

    std::int64_t instances_;
    SqliteFile file_;
};

}  // namespace belay::bench
