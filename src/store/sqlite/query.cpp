#include "store/sqlite/query.hpp"

namespace belay::sqlite {

bool AnyQuery::step() {
    const int parameters = sqlite3_bind_parameter_count(statement_);
    BELAY_ASSERT(bound_ == parameters && sum_ == parameters * (parameters + 1) / 2);
    const int code = sqlite3_step(statement_);
    if (code == SQLITE_ROW) return true;
    if (code != SQLITE_DONE) throw_failure(code);
    return false;
}

int AnyQuery::run() {
    const bool row = step();
    BELAY_ASSERT(!row);
    return sqlite3_changes(sqlite3_db_handle(statement_));
}

// A null pointer would bind null. An empty value is not null.
void AnyQuery::put(int parameter, std::string_view text) {
    const char* data = text.data() == nullptr ? "" : text.data();
    check(
        parameter,
        sqlite3_bind_text64(statement_, parameter, data, text.size(), SQLITE_STATIC, SQLITE_UTF8));
}

void AnyQuery::put(int parameter, Blob blob) {
    const char* data = blob.bytes.data() == nullptr ? "" : blob.bytes.data();
    check(parameter,
          sqlite3_bind_blob64(statement_, parameter, data, blob.bytes.size(), SQLITE_STATIC));
}

void AnyQuery::throw_failure(int code) const { fail(code, sqlite3_db_handle(statement_), name_); }

}  // namespace belay::sqlite
