// A store file with a great many instances that have ended.
#pragma once

#include "sqlite_file.hpp"

#include <cstdint>
#include <string>

namespace belay::bench {

/// Finished instances with keys and creation times 1, 2, ... in the default namespace, each with a
/// history of two rows. Written by bare statements, at a twentieth of the time that running them
/// would take. Their names, owners, versions, labels and ends are spread so that every filter finds
/// much and leaves out more.
class FinishedFile {
public:
    explicit FinishedFile(std::int64_t instances);

    [[nodiscard]] const SqliteFile& file() const noexcept { return file_; }
    [[nodiscard]] std::int64_t instances() const noexcept { return instances_; }

    // What the instance of this key has.
    [[nodiscard]] static std::string id_of(std::int64_t key);
    [[nodiscard]] static std::string definition_of(std::int64_t key);
    [[nodiscard]] static std::string owner_of(std::int64_t key);
    [[nodiscard]] static std::string version_of(std::int64_t key);
    [[nodiscard]] static std::string region_of(std::int64_t key);
    [[nodiscard]] static std::int64_t status_of(std::int64_t key);
    [[nodiscard]] static bool has_label(std::int64_t key) { return key % 100 == 0; }
    /// The instances behind the first in each thousand, up to the two hundredth, are its children.
    [[nodiscard]] static std::int64_t parent_of(std::int64_t key);
    /// How many runs have it as their parent.
    [[nodiscard]] static std::int64_t children_of(std::int64_t key);

private:
    void fill();

    std::int64_t instances_;
    SqliteFile file_;
};

}  // namespace belay::bench
