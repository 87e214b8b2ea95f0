#include "store/sqlite/failure.hpp"

#include <sqlite3.h>

namespace belay::sqlite {

namespace {

int primary(int code) { return code & 0xff; }

Errc errc_of(int code) {
    switch (primary(code)) {
        case SQLITE_BUSY:
        case SQLITE_LOCKED: return Errc::busy;
        case SQLITE_FULL:
        case SQLITE_IOERR:
        case SQLITE_CANTOPEN:
        case SQLITE_PROTOCOL:
        case SQLITE_INTERRUPT:
        case SQLITE_NOMEM: return Errc::unavailable;
        case SQLITE_TOOBIG: return Errc::limit_exceeded;
        // The caller named a file that cannot be used. Another attempt does not help.
        case SQLITE_READONLY:
        case SQLITE_PERM:
        case SQLITE_AUTH: return Errc::invalid_argument;
        // The file is not a database, has broken pages, or has rows that break the schema's rules.
        default: return Errc::corrupt;
    }
}

}  // namespace

void fail(int code, sqlite3* db, const char* doing) {
    std::string message = std::string(doing) + ": " + sqlite3_errstr(code);
    if (db != nullptr && sqlite3_extended_errcode(db) == code) {
        message += std::string(" (") + sqlite3_errmsg(db) + ")";
    }
    throw SqliteFailure(code, std::move(message));
}

void damaged(const std::string& what) { throw SqliteFailure(SQLITE_CORRUPT, what); }

Error to_error(const SqliteFailure& failure) {
    return Error(errc_of(failure.code()), failure.what());
}

Error to_commit_error(const SqliteFailure& failure) {
    // Busy: SQLite did not begin to write. In other cases the last frame may be in the log, where
    // the next recovery would find it.
    if (primary(failure.code()) == SQLITE_BUSY) return to_error(failure);
    return Error(Errc::outcome_unknown, failure.what());
}

bool concerns_one_change(const SqliteFailure& failure) {
    switch (primary(failure.code())) {
        case SQLITE_CONSTRAINT:
        case SQLITE_TOOBIG:
        case SQLITE_MISMATCH:
        // The row or page is broken. The other changes need not touch it.
        case SQLITE_CORRUPT: return true;
        default: return false;
    }
}

bool needs_reopening(const SqliteFailure& failure) {
    switch (primary(failure.code())) {
        case SQLITE_BUSY:
        case SQLITE_LOCKED:
        case SQLITE_FULL: return false;
        default: return !concerns_one_change(failure);
    }
}

}  // namespace belay::sqlite
