#include "cli/commands/all.hpp"
#include "cli/commands/input.hpp"
#include "cli/filter.hpp"
#include "cli/instance_view.hpp"
#include "cli/text.hpp"
#include "cli/values.hpp"

namespace belay::cli {

namespace {

constexpr std::uint32_t kLargestPage = 1'000;

InstanceOrder order_named(const std::string& name) {
    if (name == "created") return InstanceOrder::created;
    if (name == "ended") return InstanceOrder::ended;
    return name == "id" ? InstanceOrder::id : InstanceOrder::started;
}

void print_listed_json(Context& context, const ListedInstance& listed) {
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
    line.close_object();
    context.print(line);
}

std::string remark_of(const ListedInstance& listed) {
    if (listed.held) return "held: " + listed.held_detail;
    if (listed.failure) return failure_line(*listed.failure);
    if (listed.cancel) return cancel_line(*listed.cancel);
    return {};
}

void add_listed(Context& context, Table& table, const ListedInstance& listed) {
    const Timestamp now = context.store_now();
    const std::string took =
        listed.ended_at ? format_duration(*listed.ended_at - listed.created_at) : "";
    table.add({listed.instance.name.id,
               listed.held ? Cell("held", Colour::red) : status_cell(listed.instance.status),
               listed.definition,
               format_ago(listed.created_at, now),
               took,
               remark_of(listed)});
}

Exit print_counts(Context& context, const Arguments& arguments) {
    for (const char* option : {"order", "oldest-first", "limit", "all", "after"}) {
        if (arguments.has(option)) {
            throw usage_problem("--counts has no use for --" + std::string(option),
                                "it counts all that match");
        }
    }
    const auto counts = must(context.client().count(ListOptions(filter_of(context, arguments))));
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

Exit run_list(Context& context, const Arguments& arguments) {
    if (arguments.has("counts")) return print_counts(context, arguments);
    if (arguments.has("older-than") && arguments.has("after")) {
        throw usage_problem("--older-than means another time on every page",
                            "say --ended-before TIME to read page after page");
    }
    ListOptions options(filter_of(context, arguments));
    if (const auto order = arguments.value("order")) options.order(order_named(*order));
    options.descending(!arguments.has("oldest-first"));
    if (auto cursor = arguments.value("after")) options.after(std::move(*cursor));
    const bool all = arguments.has("all");
    std::uint32_t left = number_option(arguments, "limit").value_or(50);
    Table table({{.title = "ID", .least = 12},
                 {.title = "STATUS"},
                 {.title = "DEFINITION", .least = 10},
                 {.title = "CREATED"},
                 {.title = "TOOK"},
                 {.title = "REMARK", .least = 8}});
    std::string next;
    do {
        options.page_size(all ? kLargestPage : std::min(left, kLargestPage));
        const InstancePage page = must(context.client().list(options));
        for (const ListedInstance& listed : page.instances) {
            if (context.json()) {
                print_listed_json(context, listed);
            } else {
                add_listed(context, table, listed);
            }
        }
        left -= std::min(left, static_cast<std::uint32_t>(page.instances.size()));
        next = page.next;
        options.after(next);
    } while (!next.empty() && (all || left > 0) && context.terminal().out.good());
    if (!context.json()) context.print(table.render(context.terminal()));
    if (!next.empty()) {
        context.terminal().err << "there are more: --after " << next << "\n";
    }
    return Exit::ok;
}

}  // namespace

Command list_command() {
    std::vector<Option> options = filter_options();
    options.push_back({.name = "order",
                       .value = "BY",
                       .help = "sorted by this; else as an index has it",
                       .choices = {"started", "created", "ended", "id"}});
    options.push_back({.name = "oldest-first", .help = "ascending instead of descending"});
    options.push_back({.name = "limit", .value = "N", .help = "at most so many; else 50"});
    options.push_back({.name = "all", .help = "without a limit"});
    options.push_back({.name = "after",
                       .value = "CURSOR",
                       .help = "go on where an earlier list, of the same options, ended"});
    options.push_back({.name = "counts", .help = "only how many match, by definition and status"});
    return {
        .name = "list",
        .summary = "List instances that match",
        .details =
            "All that is said must be true of an instance. With --json one line for each; "
            "where the list goes on is said on the standard error.",
        .options = std::move(options),
        .examples = {{"belay list --status failed --definition Checkout", ""},
                     {"belay list --held --json", ""},
                     {"belay list --counts", ""},
                     {"belay list --counts --label tier=3 --older-than 30d", ""}},
        .run = run_list,
    };
}

}  // namespace belay::cli
