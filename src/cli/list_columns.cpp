#include "cli/list_columns.hpp"

#include "base/sort_stably.hpp"
#include "cli/exit_code.hpp"
#include "cli/instance_view.hpp"
#include "cli/payload_view.hpp"
#include "cli/text.hpp"
#include "cli/values.hpp"

#include <algorithm>
#include <string_view>

namespace belay::cli {

namespace {

Millis age_of(const ListRow& row, Timestamp now) {
    return std::max(now - row.listed.created_at, Millis(0));
}

/// -1: it has not ended.
Millis took(const ListRow& row) {
    const auto& ended = row.listed.ended_at;
    return ended ? *ended - row.listed.created_at : Millis(-1);
}

std::string time_text(const std::optional<Timestamp>& at) { return at ? format_time(*at) : ""; }

std::string remark_of(const ListedInstance& listed) {
    if (listed.held) return "held: " + listed.held_detail;
    if (listed.failure) return failure_line(*listed.failure);
    if (listed.cancel) return cancel_line(*listed.cancel);
    return {};
}

std::string labels_text(const Labels& labels) {
    std::string text;
    for (const auto& one : labels) {
        JsonWriter label;
        write_labels(label, {one});
        text += (text.empty() ? "" : ", ") + label.str().substr(1, label.str().size() - 2);
    }
    return text;
}

Cell status_of(const ListRow& row, Timestamp) {
    return row.listed.held ? Cell("held", Colour::red) : status_cell(row.listed.instance.status);
}

using Row = ListRow;

std::vector<ListColumn> usual_columns() {
    return {{.name = "id",
             .column = id_column("ID"),
             .cell = [](const Row& row, Timestamp) { return Cell(row.listed.instance.name.id); },
             .order = InstanceOrder::id,
             .usual = true},
            {.name = "status", .column = {.title = "STATUS"}, .cell = status_of, .usual = true},
            {.name = "definition",
             .column = {.title = "DEFINITION", .least = 8},
             .cell = [](const Row& row, Timestamp) { return Cell(row.listed.definition); },
             .usual = true},
            {.name = "age",
             .column = {.title = "AGE"},
             .cell = [](const Row& row,
                        Timestamp now) { return Cell(format_duration(age_of(row, now))); },
             .number = [](const Row& row, Timestamp now) { return age_of(row, now).count(); },
             .usual = true},
            {.name = "took",
             .column = {.title = "TOOK"},
             .cell =
                 [](const Row& row, Timestamp) {
                     return Cell(row.listed.ended_at ? format_duration(took(row)) : "");
                 },
             .number = [](const Row& row, Timestamp) { return took(row).count(); },
             .usual = true},
            {.name = "remark",
             .column = remark_column("REMARK"),
             .cell = [](const Row& row, Timestamp) { return Cell(remark_of(row.listed)); },
             .usual = true}};
}

std::vector<ListColumn> time_columns() {
    return {
        {.name = "created",
         .column = {.title = "CREATED"},
         .cell = [](const Row& row, Timestamp) { return Cell(format_time(row.listed.created_at)); },
         .order = InstanceOrder::created},
        {.name = "started",
         .column = {.title = "STARTED"},
         .cell = [](const Row& row, Timestamp) { return Cell(time_text(row.listed.started_at)); },
         .order = InstanceOrder::started},
        {.name = "ended",
         .column = {.title = "ENDED"},
         .cell = [](const Row& row, Timestamp) { return Cell(time_text(row.listed.ended_at)); },
         .order = InstanceOrder::ended}};
}

std::vector<ListColumn> other_columns() {
    return {
        {.name = "version",
         .column = {.title = "VERSION", .least = 8},
         .cell = [](const Row& row, Timestamp) { return Cell(row.listed.version); }},
        {.name = "owner",
         .column = {.title = "OWNER", .least = 8},
         .cell = [](const Row& row, Timestamp) { return Cell(row.listed.owner); }},
        {.name = "by",
         .column = {.title = "BY", .least = 8},
         .cell = [](const Row& row, Timestamp) { return Cell(row.listed.started_by); }},
        {.name = "parent",
         .column = id_column("PARENT"),
         .cell = [](const Row& row, Timestamp) { return Cell(row.listed.parent_id.value_or("")); }},
        {.name = "execution",
         .column = {.title = "EXECUTION", .right = true},
         .cell = [](const Row& row,
                    Timestamp) { return Cell(std::to_string(row.listed.execution)); },
         .number = [](const Row& row,
                      Timestamp) { return static_cast<std::int64_t>(row.listed.execution); }},
        {.name = "labels",
         .column = {.title = "LABELS", .least = 16},
         .cell = [](const Row& row, Timestamp) { return Cell(labels_text(row.listed.labels)); }},
        {.name = "custom-status",
         .column = remark_column("CUSTOM STATUS"),
         .cell = [](const Row& row, Timestamp) {
             return Cell(row.custom_status ? payload_line(*row.custom_status) : "");
         }}};
}

const std::vector<ListColumn>& all_columns() {
    static const std::vector<ListColumn> kColumns = [] {
        std::vector<ListColumn> columns = usual_columns();
        for (const auto& more : {time_columns(), other_columns()}) {
            columns.insert(columns.end(), more.begin(), more.end());
        }
        return columns;
    }();
    return kColumns;
}

std::vector<std::string> column_names() {
    std::vector<std::string> names;
    for (const ListColumn& column : all_columns()) names.push_back(column.name);
    return names;
}

std::string names_text() {
    std::string text;
    for (const std::string& name : column_names()) text += (text.empty() ? "" : ", ") + name;
    return text;
}

const ListColumn& column_named(const std::string& name) {
    for (const ListColumn& column : all_columns()) {
        if (column.name == name) return column;
    }
    const std::string meant = nearest(name, column_names());
    throw usage_problem("there is no column '" + safe(name) + "'" +
                            (meant.empty() ? "" : "; did you mean '" + meant + "'?"),
                        "the columns are " + names_text());
}

}  // namespace

Option columns_option() {
    return {.name = "columns",
            .value = "COLUMNS",
            .help =
                "show these columns, with commas between them; with + in front: these too. "
                "They are " +
                names_text(),
            .letter = 'o'};
}

Option sort_option() {
    return {.name = "sort",
            .value = "COLUMN",
            .help =
                "sort by this column, with - in front in descending order. id, created, "
                "started and ended sort all that match, other columns only what is shown. "
                "Default: the newest first"};
}

std::vector<const ListColumn*> chosen_columns(const Arguments& arguments) {
    std::string_view wanted;
    const std::string value = arguments.value_or("columns", "+");
    wanted = value;
    std::vector<const ListColumn*> chosen;
    if (wanted.starts_with('+')) {
        wanted.remove_prefix(1);
        for (const ListColumn& column : all_columns()) {
            if (column.usual) chosen.push_back(&column);
        }
    }
    while (!wanted.empty()) {
        const std::size_t end = std::min(wanted.find(','), wanted.size());
        const ListColumn& column = column_named(std::string(wanted.substr(0, end)));
        if (std::ranges::find(chosen, &column) == chosen.end()) chosen.push_back(&column);
        wanted.remove_prefix(std::min(end + 1, wanted.size()));
    }
    return chosen;
}

bool shows_custom_status(const std::vector<const ListColumn*>& columns) {
    return std::ranges::any_of(
        columns, [](const ListColumn* column) { return column->name == "custom-status"; });
}

std::optional<ListSort> chosen_sort(const Arguments& arguments) {
    auto name = arguments.value("sort");
    if (!name) return std::nullopt;
    const bool descending = name->starts_with('-');
    return ListSort{&column_named(descending ? name->substr(1) : *name), descending};
}

void sort_rows(std::vector<ListRow>& rows, const ListSort& sort, Timestamp now) {
    const ListColumn& column = *sort.by;
    const auto is_less = [&](const ListRow& a, const ListRow& b) {
        if (column.number != nullptr) return column.number(a, now) < column.number(b, now);
        return column.cell(a, now).text < column.cell(b, now).text;
    };
    base::sort_stably(rows, [&](const ListRow& a, const ListRow& b) {
        return sort.descending ? is_less(b, a) : is_less(a, b);
    });
}

}  // namespace belay::cli
