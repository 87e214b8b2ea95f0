// Documents, and the runs that have them.
#include "store/sqlite/reads.hpp"
#include "store/sqlite/tables.hpp"

#include <limits>

namespace belay::sqlite {

namespace {

template <class Row>
DocumentHead read_head(const Query<Row>& query) {
    return DocumentHead{read_digest(query),
                        query.text(Row::name),
                        query.number(Row::number),
                        query.time(Row::created_at)};
}

template <class Row>
void read_page(Query<Row>& query, ListDocuments::Answer& page) {
    while (query.step()) {
        page.push_back(DocumentInfo{read_head(query), query.number(Row::runs)});
    }
}

}  // namespace

std::optional<std::int64_t> Tables::id_of(const store::DocumentKey& key) {
    Query query = connection_.use(Sql::document_id);
    const Blob digest{view_of(key.second)};
    query.bind(key.first, digest);
    if (!query.step()) return std::nullopt;
    return query.integer(columns::document_id::id);
}

bool Tables::has_document(const store::DocumentKey& key) { return id_of(key).has_value(); }

std::uint64_t Tables::last_document(const std::string& space, const std::string& name) {
    Query query = connection_.use(Sql::document_last);
    query.bind(space, name);
    return query.step() ? query.number(columns::document_last::number) : 0;
}

void Tables::insert_document(const std::string& space,
                             const DocumentHead& head,
                             const Payload& text) {
    connection_.use(Sql::document_insert)
        .bind(space, Blob{view_of(head.digest)}, head.name, head.number, head.created_at, text)
        .run();
}

void Tables::erase_document(const store::DocumentKey& key) {
    connection_.use(Sql::document_delete).bind(key.first, Blob{view_of(key.second)}).run();
}

bool Tables::is_document_used(const store::DocumentKey& key) {
    flush();
    Query query = connection_.use(Sql::document_user);
    const Blob digest{view_of(key.second)};
    query.bind(key.first, digest);
    return query.step();
}

Digest Tables::document_of(const Run& run) {
    Query query = connection_.use(Sql::document_of_run);
    query.bind(run.ref.key);
    if (!query.step()) throw SqliteFailure(SQLITE_CORRUPT, "the document of a run is missing");
    return read_digest(query);
}

// ---- Reads -------------------------------------------------------------------------------------

ReadDocument::Answer read(Connection& connection, const ReadDocument& request, Timestamp) {
    Query query = connection.use(Sql::document_find);
    const Blob digest{view_of(request.digest)};
    query.bind(request.space, digest);
    if (!query.step()) return std::nullopt;
    using Row = columns::document_find;
    return ReadDocument::Kept{read_head(query), query.payload(Row::codec, Row::flags, Row::bytes)};
}

ListDocuments::Answer read(Connection& connection, const ListDocuments& request, Timestamp) {
    ListDocuments::Answer page;
    const DocumentPlace after = request.after.value_or(DocumentPlace());
    constexpr std::uint64_t kLast = std::numeric_limits<std::int64_t>::max();
    std::uint64_t number = std::min(after.number, kLast);
    if (request.name) {
        if (after.name > *request.name) return page;
        if (after.name < *request.name) number = 0;
        Query query = connection.use(Sql::document_list_of_name);
        query.bind(request.space, *request.name, number, request.max);
        read_page(query, page);
    } else {
        Query query = connection.use(Sql::document_list);
        query.bind(request.space, after.name, number, request.max);
        read_page(query, page);
    }
    return page;
}

}  // namespace belay::sqlite
