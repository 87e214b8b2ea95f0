// The definitions that a store keeps: belay flow list, show and diff.
#include "base/sha256.hpp"
#include "cli/commands/flow_commands.hpp"
#include "cli/commands/input.hpp"
#include "cli/flow/kept_flows.hpp"
#include "cli/instance_view.hpp"
#include "cli/table.hpp"
#include "cli/text.hpp"
#include "cli/values.hpp"
#include "flow/definition/compare.hpp"

#include <string>
#include <vector>

namespace belay::cli {

namespace {

// ---- List --------------------------------------------------------------------------------------

void write_kept(JsonWriter& out, const DocumentInfo& kept) {
    out.field("flow", kept.head.name).field("version", kept.head.number);
    out.field("runs", kept.runs).field("digest", base::short_hex(kept.head.digest));
    write_time(out, "created_at", kept.head.created_at);
}

Exit run_flow_list(Context& context, const Arguments& arguments) {
    const auto flow = arguments.operands().empty()
                          ? std::optional<std::string>()
                          : std::optional<std::string>(arguments.operand(0));
    const std::vector<DocumentInfo> all = kept_flows(context, flow);
    if (context.json()) {
        for (const DocumentInfo& kept : all) {
            JsonWriter line;
            line.open_object();
            write_kept(line, kept);
            line.close_object();
            context.print(line);
        }
        return Exit::ok;
    }
    const Timestamp now = context.store_now();
    Table table({id_column("FLOW"),
                 {.title = "VERSION", .right = true},
                 {.title = "RUNS", .right = true},
                 {.title = "SINCE"},
                 {.title = "DIGEST"}});
    for (const DocumentInfo& kept : all) {
        table.add({kept.head.name,
                   std::to_string(kept.head.number),
                   std::to_string(kept.runs),
                   format_ago(kept.head.created_at, now),
                   base::short_hex(kept.head.digest)});
    }
    context.print(table.render(context.terminal()));
    return Exit::ok;
}

// ---- Show --------------------------------------------------------------------------------------

Exit run_flow_show(Context& context, const Arguments& arguments) {
    const FlowSource source = find_flow_source(context, arguments.operand(0));
    const flow::Bundle& bundle = source.bundle;
    if (context.json()) {
        JsonWriter document;
        document.open_object();
        if (source.kept) {
            write_kept(document, *source.kept);
        } else {
            document.field("flow", bundle.main).field("file", source.title);
        }
        document.key("sources").open_object();
        for (const auto& [name, text] : bundle.sources) document.field(name, text);
        document.close_object().close_object();
        context.print(document);
        return Exit::ok;
    }
    const std::string wanted = arguments.value_or("of", bundle.main);
    const auto text = bundle.sources.find(wanted);
    if (text == bundle.sources.end()) {
        throw Problem(Exit::not_found,
                      "'" + safe(source.title) + "' starts no flow '" + safe(wanted) + "'");
    }
    context.print(safe_lines(text->second));
    if (!text->second.ends_with('\n')) context.print("\n");
    return Exit::ok;
}

// ---- Difference --------------------------------------------------------------------------------

std::string change_line(const flow::FlowChange& change, const std::string& main) {
    std::string line;
    if (change.flow != main && change.what != "flow") line = safe(change.flow) + ": ";
    line += change.what + " " + safe(change.name) + " " + std::string(to_string(change.kind));
    for (std::size_t i = 0; i < change.fields.size(); ++i) {
        line.append(i == 0 ? ": " : ", ").append(safe(change.fields[i]));
    }
    return line;
}

void print_change(Context& context, const flow::FlowChange& change) {
    JsonWriter line;
    line.open_object().field("flow", change.flow).field("what", change.what);
    line.field("name", change.name).field("change", to_string(change.kind));
    line.key("fields").open_array();
    for (const std::string& field : change.fields) line.text(field);
    line.close_array().close_object();
    context.print(line);
}

Exit run_flow_diff(Context& context, const Arguments& arguments) {
    FlowSource after = find_flow_source(context, arguments.operand(0));
    std::optional<FlowSource> before;
    if (arguments.operands().size() > 1) {
        before = std::move(after);
        after = find_flow_source(context, arguments.operand(1));
    } else {
        // What the store has last is what is there today.
        before = find_flow_source(context, after.bundle.main);
    }
    const auto changes = flow::compare_bundles(before->bundle, after.bundle);
    for (const flow::FlowChange& change : changes) {
        if (context.json()) {
            print_change(context, change);
        } else {
            context.print_line(change_line(change, after.bundle.main));
        }
    }
    if (changes.empty() && !context.json()) {
        context.print_line(safe(before->title) + " and " + safe(after.title) +
                           " do not differ in what they do");
    }
    return changes.empty() ? Exit::ok : Exit::failed;
}

}  // namespace

Command flow_list_command() {
    return {
        .name = "list",
        .summary = "List the flows that the store keeps, in all their versions",
        .details =
            "A store keeps a definition, with all that it starts, as long as a run has it. The "
            "versions of a flow are numbered in the order in which they came. RUNS counts the "
            "runs that have this version, those of flows that it starts included.",
        .operands = {{.name = "NAME", .help = "only this flow", .required = false}},
        .examples = {{"belay flow list", ""}, {"belay flow list backup --json", "for a script"}},
        .run = run_flow_list,
    };
}

Command flow_show_command() {
    return {
        .name = "show",
        .summary = "Print a definition that the store keeps",
        .details = "With --json prints all definitions that it starts, too.",
        .operands = {{.name = "NAME[@VERSION]|FILE",
                      .help = "a flow in its newest version, or in another one",
                      .file = true}},
        .options = {{.name = "of",
                     .value = "NAME",
                     .help = "print the definition of a flow that it starts"}},
        .examples = {{"belay flow show backup", ""},
                     {"belay flow show backup@3 > backup.yaml", "an older version"}},
        .run = run_flow_show,
    };
}

Command flow_diff_command() {
    return {
        .name = "diff",
        .summary = "Compare two versions of a flow, or a file with the store",
        .details =
            "Names the steps, the params and the other fields that were added, removed or "
            "changed. With one word, compares it with the newest version in the store. Layout and "
            "comments make no difference. Exits with 1 if they differ.",
        .operands = {{.name = "NAME[@VERSION]|FILE", .help = "the older one", .file = true},
                     {.name = "NAME[@VERSION]|FILE",
                      .help = "the newer one",
                      .required = false,
                      .file = true}},
        .examples = {{"belay flow diff backup@3 backup.yaml", ""},
                     {"belay flow diff backup.yaml", "the file, against the newest version"}},
        .run = run_flow_diff,
    };
}

}  // namespace belay::cli
