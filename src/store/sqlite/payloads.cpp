#include "store/sqlite/payloads.hpp"

#include "model/encoding.hpp"

#include <variant>

namespace belay::sqlite {

namespace {

enum class LabelKind : std::uint8_t { text = 1, integer = 2, real = 3, boolean = 4 };

LabelValue read_label(const Query<columns::label_list>& query) {
    using Row = columns::label_list;
    switch (query.as<LabelKind>(Row::kind)) {
        case LabelKind::text: return query.text(Row::value);
        case LabelKind::integer: return query.integer(Row::value);
        case LabelKind::real: return query.real(Row::value);
        case LabelKind::boolean: return query.flag(Row::value);
    }
    throw SqliteFailure(SQLITE_CORRUPT, "a label of an unknown kind");
}

LabelKind kind_of(const LabelValue& value) { return static_cast<LabelKind>(value.index() + 1); }

}  // namespace

void delete_large(Connection& connection, const LargePlace& place) {
    connection.use(Sql::large_delete)
        .bind(place.run, place.part, place.execution, place.command)
        .run();
}

std::string read_large(Connection& connection, const LargePlace& place) {
    Query query = connection.use(Sql::large_find);
    query.bind(place.run, place.part, place.execution, place.command);
    if (!query.step()) throw SqliteFailure(SQLITE_CORRUPT, "a long payload is missing");
    return query.text(columns::large_find::bytes);
}

std::optional<std::string> encode(const Headers& headers) {
    if (headers.empty()) return std::nullopt;
    model::Writer out;
    out.number(headers.size());
    for (const auto& [name, value] : headers) {
        out.text(name);
        out.text(value);
    }
    return out.take();
}

Headers decode_headers(std::string_view bytes) {
    Headers headers;
    if (bytes.empty()) return headers;
    model::Reader in(bytes);
    for (std::uint64_t left = in.number(); left > 0 && in.ok(); --left) {
        std::string name = in.text();
        headers[std::move(name)] = in.text();
    }
    if (!in.ok() || !in.at_end()) throw SqliteFailure(SQLITE_CORRUPT, "headers that are cut off");
    return headers;
}

void write_labels(Connection& connection, RunKey run, const Labels& labels) {
    for (const auto& [name, value] : labels) {
        Query query = connection.use(Sql::label_insert);
        query.bind(run, name, kind_of(value));
        std::visit([&](const auto& held) { query.bind(held); }, value);
        query.run();
    }
}

Labels read_labels(Connection& connection, RunKey run) {
    Labels labels;
    Query query = connection.use(Sql::label_list);
    query.bind(run);
    while (query.step()) {
        labels.emplace(query.text(columns::label_list::name), read_label(query));
    }
    return labels;
}

}  // namespace belay::sqlite
