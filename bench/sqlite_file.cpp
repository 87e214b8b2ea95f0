#include "sqlite_file.hpp"

#include <cstdlib>

namespace belay::bench {

SqliteFile::SqliteFile() {
    std::string name = (std::filesystem::temp_directory_path() / "belay-bench-XXXXXX").string();
    require(::mkdtemp(name.data()) != nullptr, "no temporary directory can be made");
    directory_ = name;
}

SqliteFile::~SqliteFile() {
    std::error_code ignored;
    std::filesystem::remove_all(directory_, ignored);
}

std::unique_ptr<Store> SqliteFile::open(Synchronous synchronous) const {
    auto store = make_sqlite_store(path(), SqliteOptions().synchronous(synchronous));
    if (!store) throw std::runtime_error(store.error().describe());
    return std::move(*store);
}

}  // namespace belay::bench
