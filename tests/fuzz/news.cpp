// The ring of notices beside a SQLite file, which any process may have left half written.
#include "fuzz/target.hpp"
#include "store/sqlite/notice_file.hpp"
#include "support/temporary_directory.hpp"

#include <cstdio>

using namespace belay;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const support::TemporaryDirectory directory(support::TemporaryDirectory::in_memory());
    static const std::string database = directory.file("store.db");
    static const std::string path = database + "-news";
    std::FILE* const file = std::fopen(path.c_str(), "wb");
    fuzz::require(file != nullptr, "a file can be made");
    std::fwrite(data, 1, size, file);
    std::fclose(file);

    auto news = sqlite::NoticeFile::open(database);
    fuzz::require(news.ok(), "it opens");
    for (std::uint64_t position : {std::uint64_t{0}, news->position(), ~std::uint64_t{0}}) {
        (void)news->read(position);
        fuzz::require(position == news->position(), "a reader ends at the end");
    }
    store::Notices notices;
    notices.instances_ready = true;
    const std::uint64_t before = news->position();
    std::uint64_t position = before;
    news->publish(notices);
    fuzz::require(news->position() == before + 1, "a notice more");
    // One's own is left out.
    const bool lapped = before + 1 < position;
    fuzz::require(lapped || !news->read(position).instances_ready, "nobody hears himself");
    return 0;
}
