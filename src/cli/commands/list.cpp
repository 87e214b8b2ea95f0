#include "cli/commands/all.hpp"
#include "cli/commands/input.hpp"
#include "cli/filter.hpp"
#include "cli/instance_view.hpp"
#include "cli/list_columns.hpp"
#include "cli/payload_view.hpp"
#include "cli/reads.hpp"

#include <optional>
#include <utility>

namespace belay::cli {

namespace {

constexpr std::uint32_t kLargestPage = 1'000;

void print_row_json(Context& context, const ListRow& row) {
    const ListedInstance& listed = row.listed;
    JsonWriter line;
    line.open_object();
    write_brief(line, listed.instance);
    line.field("definition", listed.definition)
        .field("version", listed.version)
        .field("owner", listed.owner)
        .field("started_by", listed.started_by)
        .field("execution", listed.execution);
    write_time(line, "created_at", listed.created_at);
    write_time(line, "started_at", listed.started_at);
    write_time(line, "ended_at", listed.ended_at);
    line.key("parent");
    if (listed.parent_id) {
        line.text(*listed.parent_id);
    } else {
        line.null();
    }
    line.field("held", listed.held).key("labels");
    write_labels(line, listed.labels);
    if (listed.cancel) {
        line.key("cancel");
        write_cancel(line, *listed.cancel);
    }
    if (listed.failure) {
        line.key("failure");
        write_failure(line, *listed.failure);
    }
    if (listed.held) line.field("held_detail", listed.held_detail);
    if (row.custom_status) {
        line.key("custom_status");
        write_payload(line, *row.custom_status);
    }
    line.close_object();
    context.print(line);
}

Exit print_counts(Context& context, const Arguments& arguments) {
    for (const char* option : {"columns", "sort", "limit", "all", "after"}) {
        if (arguments.has(option)) {
            throw usage_problem("--counts has no use for --" + std::string(option),
                                "it counts all that match");
        }
    }
    const auto counts =
        or_throw(context.client().count(ListOptions(filter_of(context, arguments))));
    Table table({{.title = "DEFINITION", .least = 12},
                 {.title = "STATUS"},
                 {.title = "COUNT", .right = true}});
    for (const InstanceCount& one : counts) {
        if (context.json()) {
            JsonWriter line;
            line.open_object()
                .field("definition", one.definition)
                .field("status", to_string(one.status))
                .field("count", one.count)
                .close_object();
            context.print(line);
        } else {
            table.add({one.definition, status_cell(one.status), std::to_string(one.count)});
        }
    }
    if (!context.json()) context.print(table.render(context.terminal()));
    return Exit::ok;
}

void print_rows(Context& context,
                const std::vector<const ListColumn*>& columns,
                const std::vector<ListRow>& rows) {
    if (context.json()) {
        for (const ListRow& row : rows) print_row_json(context, row);
        return;
    }
    const Timestamp now = context.store_now();
    std::vector<Column> titles;
    titles.reserve(columns.size());
    for (const ListColumn* column : columns) titles.push_back(column->column);
    Table table(std::move(titles));
    for (const ListRow& row : rows) {
        std::vector<Cell> cells;
        cells.reserve(columns.size());
        for (const ListColumn* column : columns) cells.push_back(column->cell(row, now));
        table.add(std::move(cells));
    }
    context.print(table.render(context.terminal()));
}

ListOptions options_of(Context& context,
                       const Arguments& arguments,
                       const std::optional<ListSort>& sort) {
    if (arguments.has("older-than") && arguments.has("after")) {
        throw usage_problem("--older-than means another time on every page",
                            "say --ended-before TIME to read page after page");
    }
    ListOptions options(filter_of(context, arguments));
    options.descending(!sort || !sort->by->order || sort->descending);
    if (sort && sort->by->order) options.order(*sort->by->order);
    if (auto cursor = arguments.value("after")) options.after(std::move(*cursor));
    return options;
}

/// The custom status of the run, or none if it has none or was deleted meanwhile.
std::optional<Payload> custom_status_of(Context& context, const InstanceBrief& brief) {
    auto info = context.service().ask(requests::Inspect{brief.name, brief.run});
    if (!info && info.error().code() == Errc::not_found) return std::nullopt;
    return or_throw(std::move(info)).custom_status;
}

Exit run_list(Context& context, const Arguments& arguments) {
    if (arguments.has("counts")) return print_counts(context, arguments);
    const std::vector<const ListColumn*> columns = chosen_columns(arguments);
    const std::optional<ListSort> sort = chosen_sort(arguments);
    const bool with_status =
        shows_custom_status(columns) || (sort && shows_custom_status({sort->by}));
    const bool at_the_end = !context.json() || (sort && !sort->by->order);
    ListOptions options = options_of(context, arguments, sort);
    const bool all = arguments.has("all");
    std::uint32_t left = number_option(arguments, "limit").value_or(50);
    std::vector<ListRow> rows;
    std::string next;
    do {
        options.page_size(all ? kLargestPage : std::min(left, kLargestPage));
        InstancePage page = or_throw(context.client().list(options));
        left -= std::min(left, static_cast<std::uint32_t>(page.instances.size()));
        show_stopping(context, page.instances);
        for (ListedInstance& listed : page.instances) {
            ListRow row{std::move(listed), std::nullopt};
            if (with_status) row.custom_status = custom_status_of(context, row.listed.instance);
            if (at_the_end) {
                rows.push_back(std::move(row));
            } else {
                print_row_json(context, row);
            }
        }
        next = page.next;
        options.after(next);
    } while (!next.empty() && (all || left > 0) && context.terminal().out.good());
    if (sort && !sort->by->order) sort_rows(rows, *sort, context.store_now());
    print_rows(context, columns, rows);
    if (!next.empty()) context.terminal().err << "there are more: --after " << next << "\n";
    return Exit::ok;
}

}  // namespace

Command list_command() {
    std::vector<Option> options = filter_options();
    options.push_back(columns_option());
    options.push_back(sort_option());
    options.push_back({.name = "limit", .value = "N", .help = "list at most N. Default: 50"});
    options.push_back({.name = "all", .help = "list all that match"});
    options.push_back({.name = "after",
                       .value = "CURSOR",
                       .help = "go on where an earlier list with the same options ended"});
    options.push_back({.name = "counts", .help = "print how many match, by definition and status"});
    return {
        .name = "list",
        .summary = "List instances that match",
        .details =
            "Lists the instances for which all filters are true. With --json prints one line with "
            "all fields for each; custom_status is among them if -o names it. A canceled flow "
            "reads "
            "canceling until its programs have stopped; --status canceled finds it, too.",
        .options = std::move(options),
        .examples = {{"belay list --status failed --definition Checkout", ""},
                     {"belay list --held --json", ""},
                     {"belay list -o id,status,custom-status --sort -took", ""},
                     {"belay list -o +labels", "the usual columns and the labels"},
                     {"belay list --counts", ""},
                     {"belay list --counts --label tier=3 --older-than 30d", ""}},
        .run = run_list,
    };
}

}  // namespace belay::cli
