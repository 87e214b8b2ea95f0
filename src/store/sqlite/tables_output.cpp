// The output of attempts.
#include "store/sqlite/reader.hpp"
#include "store/sqlite/reads.hpp"
#include "store/sqlite/tables.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

namespace belay::sqlite {

namespace {

template <class Row>
store::AttemptKey read_attempt_key(const Query<Row>& query) {
    return store::AttemptKey{query.small(Row::execution),
                             query.small(Row::first),
                             query.small(Row::command),
                             query.small(Row::attempt)};
}

template <class Row>
std::vector<store::AttemptKey> read_attempt_keys(Query<Row>& query) {
    std::vector<store::AttemptKey> found;
    while (query.step()) found.push_back(read_attempt_key(query));
    return found;
}

/// Binds what changes of an attempt.
template <class To>
void set_attempt(Query<NoColumns, To>& query, const Run& run, const store::AttemptRow& row) {
    query.set(To::run, run.ref.key)
        .set(To::id, row.id)
        .set(To::source, row.source)
        .set(To::holder, row.token.holder)
        .set(To::serial, row.token.serial)
        .set(To::taken, row.taken)
        .set(To::first_bytes, row.first_bytes)
        .set(To::last_bytes, row.last_bytes)
        .set(To::end_from, row.end_from)
        .set(To::left_out_bytes, row.left_out_bytes)
        .set(To::left_out_lines, row.left_out_lines)
        .set(To::left_out_to, row.left_out_to);
}

}  // namespace

std::optional<store::RunOutput> Tables::output_of(const Run& run) {
    Query query = connection_.use(Sql::output_find);
    query.bind(run.ref.key);
    if (!query.step()) return std::nullopt;
    using Row = columns::output_find;
    return store::RunOutput{
        query.number(Row::next), query.number(Row::bytes), query.number(Row::left_out)};
}

void Tables::put_output(const Run& run, const store::RunOutput& output) {
    no_output_.forget();
    connection_.use(Sql::output_put)
        .bind(run.ref.key, output.next, output.bytes, output.left_out_attempts)
        .run();
}

std::optional<store::AttemptRow> Tables::find_attempt(const Run& run,
                                                      const store::AttemptKey& key) {
    Query query = connection_.use(Sql::output_attempt_find);
    query.bind(run.ref.key, key.execution, key.first, key.command, key.attempt);
    if (!query.step()) return std::nullopt;
    using Row = columns::output_attempt_find;
    store::AttemptRow row;
    row.id = query.number(Row::id);
    row.source = query.text(Row::source);
    row.token = read_token(query);
    row.taken = query.number(Row::taken);
    row.first_bytes = query.number(Row::first_bytes);
    row.last_bytes = query.number(Row::last_bytes);
    row.end_from = query.number(Row::end_from);
    row.left_out_bytes = query.number(Row::left_out_bytes);
    row.left_out_lines = query.number(Row::left_out_lines);
    row.left_out_to = query.number(Row::left_out_to);
    return row;
}

void Tables::put_attempt(const Run& run,
                         const store::AttemptKey& key,
                         const store::AttemptRow& row) {
    {
        Query query = connection_.use(Sql::output_attempt_update);
        set_attempt(query, run, row);
        if (query.run() > 0) return;
    }
    Query query = connection_.use(Sql::output_attempt_insert);
    set_attempt(query, run, row);
    using To = parameters::output_attempt_insert;
    query.set(To::execution, key.execution)
        .set(To::first, key.first)
        .set(To::command, key.command)
        .set(To::attempt, key.attempt)
        .run();
}

void Tables::erase_attempt(const Run& run,
                           const store::AttemptKey& /*key*/,
                           const store::AttemptRow& row) {
    connection_.use(Sql::output_chunk_delete_attempt).bind(run.ref.key, row.id).run();
    connection_.use(Sql::output_attempt_delete).bind(run.ref.key, row.id).run();
}

std::vector<store::AttemptKey> Tables::attempts_with_output(const Run& run,
                                                            ExecutionNo execution,
                                                            std::optional<CommandNo> first) {
    if (first) {
        Query query = connection_.use(Sql::output_attempts_of);
        query.bind(run.ref.key, execution, *first);
        return read_attempt_keys(query);
    }
    Query query = connection_.use(Sql::output_attempts);
    query.bind(run.ref.key, execution);
    return read_attempt_keys(query);
}

std::optional<store::AttemptKey> Tables::oldest_attempt(const Run& run, std::uint64_t except) {
    Query query = connection_.use(Sql::output_attempt_oldest);
    query.bind(run.ref.key, except);
    return query.step() ? std::optional(read_attempt_key(query)) : std::nullopt;
}

void Tables::insert_chunk(const Run& run,
                          const store::AttemptKey& /*key*/,
                          const store::AttemptRow& attempt,
                          std::uint64_t number,
                          const OutputChunk& chunk) {
    Query query = connection_.use(Sql::output_chunk_insert);
    using To = parameters::output_chunk_insert;
    query.set(To::run, run.ref.key)
        .set(To::number, number)
        .set(To::attempt, attempt.id)
        .set(To::stream, chunk.stream)
        .set(To::at, chunk.at)
        .set(To::size, chunk.bytes)
        .set(To::lines, chunk.lines)
        .set(To::codec, chunk.text.codec)
        .set(To::flags, chunk.text.flags)
        .set(To::bytes, Blob{chunk.text.bytes})
        .run();
}

std::optional<store::ChunkSize> Tables::chunk_from(const Run& run,
                                                   const store::AttemptRow& attempt,
                                                   std::uint64_t number) {
    Query query = connection_.use(Sql::output_chunk_from);
    query.bind(run.ref.key, attempt.id, number);
    if (!query.step()) return std::nullopt;
    using Row = columns::output_chunk_from;
    return store::ChunkSize{
        query.number(Row::number), query.number(Row::size), query.number(Row::lines)};
}

void Tables::erase_chunk(const Run& run,
                         const store::AttemptRow& /*attempt*/,
                         std::uint64_t number) {
    connection_.use(Sql::output_chunk_delete).bind(run.ref.key, number).run();
}

void Tables::erase_output(RunKey run) {
    if (delete_rare(run, no_output_, Sql::output_delete, Sql::output_around) == 0) return;
    connection_.use(Sql::output_attempt_delete_all).bind(run).run();
    connection_.use(Sql::output_chunk_delete_all).bind(run).run();
}

// ---- Reading -----------------------------------------------------------------------------------

namespace {

using Chunk = columns::output_chunk_read;

/// Collects the chunks of a page.
class Pager {
public:
    Pager(Connection& connection, const ReadOutput& request, OutputPage& page)
        : connection_(connection), request_(request), page_(page) {}

    /// Returns false if the page is full.
    bool take(const Query<Chunk>& query) {
        const std::optional<std::size_t> place = place_of(query.number(Chunk::attempt));
        if (!place) return true;
        const std::uint64_t size = query.number(Chunk::size);
        if (!page_.chunks.empty() && bytes_ + size > request_.max_bytes) return false;
        bytes_ += size + OutputBounds::kChunk;
        if (*place == page_.attempts.size()) page_.attempts.push_back(std::move(found_));
        KeptChunk chunk;
        chunk.number = query.number(Chunk::number);
        chunk.attempt = *place;
        chunk.stream = query.as<OutputStream>(Chunk::stream);
        chunk.at = query.time(Chunk::at);
        chunk.text = query.payload(Chunk::codec, Chunk::flags, Chunk::bytes);
        page_.next = chunk.number;
        page_.chunks.push_back(std::move(chunk));
        return true;
    }

private:
    /// Returns the place of an attempt in the page, perhaps the next free one. None: it does not
    /// match.
    std::optional<std::size_t> place_of(std::uint64_t id) {
        const auto known = places_.find(id);
        if (known != places_.end()) return known->second;
        std::optional<std::size_t> place;
        if (find(id)) place = page_.attempts.size();
        places_[id] = place;
        return place;
    }

    /// Reads an attempt. Returns false if it does not match.
    bool find(std::uint64_t id) {
        Query query = connection_.use(Sql::output_attempt_shown);
        query.bind(request_.run.key, id);
        if (!query.step())
            throw SqliteFailure(SQLITE_CORRUPT, "the attempt of an output is missing");
        using Row = columns::output_attempt_shown;
        found_ = AttemptOutput();
        found_.execution = query.small(Row::execution);
        found_.command = query.small(Row::command);
        found_.first_command = query.small(Row::first);
        found_.attempt = query.small(Row::attempt);
        found_.source = query.text(Row::source);
        found_.left_out_bytes = query.number(Row::left_out_bytes);
        found_.left_out_lines = query.number(Row::left_out_lines);
        found_.left_out_to = query.number(Row::left_out_to);
        return (!request_.execution || found_.execution == *request_.execution) &&
               (!request_.command || found_.command == *request_.command) &&
               (!request_.attempt || found_.attempt == *request_.attempt);
    }

    Connection& connection_;
    const ReadOutput& request_;
    OutputPage& page_;
    AttemptOutput found_;
    std::map<std::uint64_t, std::optional<std::size_t>> places_;  ///< Of attempts, by id.
    std::uint64_t bytes_ = 0;
};

}  // namespace

ReadOutput::Answer read(Connection& connection, const ReadOutput& request, Timestamp now) {
    OutputPage page;
    page.next = request.after;
    Reader reader(connection, now);
    const Run* const run = reader.tables.find_run(request.run);
    if (run == nullptr) return page;
    const std::optional<store::RunOutput> all = reader.tables.output_of(*run);
    if (!all) return page;
    page.left_out_attempts = all->left_out_attempts;
    constexpr std::uint64_t kLast = std::numeric_limits<std::int64_t>::max();
    Query query = connection.use(Sql::output_chunk_read);
    query.bind(request.run.key, std::min(request.after, kLast));
    Pager pager(connection, request, page);
    while (query.step()) {
        if (pager.take(query)) continue;
        page.more = true;
        return page;
    }
    // Nothing that matches is behind it.
    page.next = std::max(request.after, all->next - 1);
    return page;
}

}  // namespace belay::sqlite
