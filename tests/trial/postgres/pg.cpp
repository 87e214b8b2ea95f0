#include "pg.hpp"

#include <poll.h>

#include <cstdio>
#include <cstring>
#include <memory>

namespace trial {

namespace {

struct ClearResult {
    void operator()(PGresult* result) const noexcept { PQclear(result); }
};
using Result = std::unique_ptr<PGresult, ClearResult>;

[[nodiscard]] bool failed(const PGresult* result) {
    const auto status = PQresultStatus(result);
    return status != PGRES_TUPLES_OK && status != PGRES_COMMAND_OK;
}

[[nodiscard]] Failed failure_of(const PGresult* result) {
    const char* state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
    return Failed(PQresultErrorMessage(result), state == nullptr ? "" : state);
}

[[nodiscard]] Rows rows_of(const PGresult* result) {
    Rows rows(static_cast<std::size_t>(PQntuples(result)));
    for (int row = 0; row < PQntuples(result); ++row) {
        for (int column = 0; column < PQnfields(result); ++column) {
            rows[static_cast<std::size_t>(row)].emplace_back(PQgetvalue(result, row, column));
        }
    }
    return rows;
}

}  // namespace

Array& Array::put(std::string_view element) {
    if (!elements_.empty()) {
        elements_ += ',';
    }
    elements_ += element;
    return *this;
}

Array& Array::add(std::int64_t value) { return put(std::to_string(value)); }

Array& Array::add(std::optional<std::int64_t> value) { return value ? add(*value) : add_null(); }

Array& Array::add(bool value) { return put(value ? "t" : "f"); }

Array& Array::add_null() { return put("NULL"); }

Array& Array::add_text(std::string_view value) {
    std::string quoted = "\"";
    for (const char c : value) {
        if (c == '"' || c == '\\') {
            quoted += '\\';
        }
        quoted += c;
    }
    return put(quoted + '"');
}

Array& Array::add_bytes(std::string_view value) {
    static constexpr char kDigits[] = "0123456789abcdef";
    std::string quoted = "\"\\\\x";
    for (const char c : value) {
        const auto byte = static_cast<unsigned char>(c);
        quoted += kDigits[byte >> 4];
        quoted += kDigits[byte & 15];
    }
    return put(quoted + '"');
}

Connection::Connection(const std::string& address) : connection_(PQconnectdb(address.c_str())) {
    if (PQstatus(connection_) != CONNECTION_OK) {
        const std::string message = PQerrorMessage(connection_);
        PQfinish(connection_);
        throw std::runtime_error(message);
    }
}

Connection::~Connection() {
    if (trace_ != nullptr) {
        std::fclose(trace_);
    }
    PQfinish(connection_);
}

Rows Connection::execute(const std::string& sql) {
    const Result result(PQexec(connection_, sql.c_str()));
    if (failed(result.get())) {
        throw failure_of(result.get());
    }
    return rows_of(result.get());
}

void Connection::prepare(const std::string& name, const std::string& sql) {
    const Result result(PQprepare(connection_, name.c_str(), sql.c_str(), 0, nullptr));
    if (failed(result.get())) {
        throw std::runtime_error(name + ": " + PQresultErrorMessage(result.get()));
    }
}

void Connection::send(const std::vector<Step>& steps) {
    bool good = PQenterPipelineMode(connection_) == 1;
    for (const Step& step : steps) {
        std::vector<const char*> values;
        for (const std::string& parameter : step.parameters) {
            values.push_back(parameter.c_str());
        }
        good = good && PQsendQueryPrepared(connection_,
                                           step.statement.c_str(),
                                           static_cast<int>(values.size()),
                                           values.data(),
                                           nullptr,
                                           nullptr,
                                           0) == 1;
    }
    if (!good || PQpipelineSync(connection_) != 1 || PQflush(connection_) != 0) {
        throw std::runtime_error(PQerrorMessage(connection_));
    }
    sent_ = steps.size();
}

std::vector<Rows> Connection::receive() {
    std::vector<Rows> all;
    std::optional<Failed> failure;
    for (std::size_t step = 0; step < sent_; ++step) {
        while (const Result result{PQgetResult(connection_)}) {
            const auto status = PQresultStatus(result.get());
            if (status != PGRES_PIPELINE_ABORTED && failed(result.get()) && !failure) {
                failure.emplace(failure_of(result.get()));
            }
            all.push_back(rows_of(result.get()));
        }
    }
    const Result sync(PQgetResult(connection_));
    sent_ = 0;
    if (PQresultStatus(sync.get()) != PGRES_PIPELINE_SYNC || PQexitPipelineMode(connection_) != 1) {
        throw std::runtime_error("no sync: " + std::string(PQerrorMessage(connection_)));
    }
    if (failure) {
        throw Failed(*failure);
    }
    return all;
}

std::vector<Rows> Connection::run(const std::vector<Step>& steps) {
    send(steps);
    return receive();
}

bool Connection::waits(int milliseconds) {
    pollfd socket{PQsocket(connection_), POLLIN, 0};
    return poll(&socket, 1, milliseconds) == 0;
}

void Connection::start_counting() {
    trace_ = std::tmpfile();
    PQtrace(connection_, trace_);
}

int Connection::stop_counting() {
    PQuntrace(connection_);
    std::rewind(trace_);
    int waits = 0;
    char line[4096];
    while (std::fgets(line, sizeof line, trace_) != nullptr) {
        if (std::strstr(line, "\tReadyForQuery\t") != nullptr) {
            ++waits;
        }
    }
    std::fclose(trace_);
    trace_ = nullptr;
    return waits;
}

}  // namespace trial
