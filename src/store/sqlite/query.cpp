#include "store/sqlite/query.hpp"

namespace belay::sqlite {

bool Query::step() {
    BELAY_ASSERT(bound_ == sqlite3_bind_parameter_count(statement_));
    const int code = sqlite3_step(statement_);
    if (code == SQLITE_ROW) return true;
    if (code != SQLITE_DONE) throw_failure(code);
    return false;
}

int Query::run() {
    const bool row = step();
    BELAY_ASSERT(!row);
    return sqlite3_changes(sqlite3_db_handle(statement_));
}

// A null pointer would bind null, which an empty value is not.
void Query::bind_one(std::string_view text) {
    const char* data = text.data() == nullptr ? "" : text.data();
    check(sqlite3_bind_text64(statement_, ++bound_, data, text.size(), SQLITE_STATIC, SQLITE_UTF8));
}

void Query::bind_one(Blob blob) {
    const char* data = blob.bytes.data() == nullptr ? "" : blob.bytes.data();
    check(sqlite3_bind_blob64(statement_, ++bound_, data, blob.bytes.size(), SQLITE_STATIC));
}

void Query::throw_failure(int code) const { fail(code, sqlite3_db_handle(statement_), name_); }

}  // namespace belay::sqlite
