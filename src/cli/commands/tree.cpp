#include "cli/commands/all.hpp"
#include "cli/commands/input.hpp"
#include "cli/instance_view.hpp"
#include "cli/text.hpp"
#include "cli/tree_view.hpp"

namespace belay::cli {

namespace {

std::string node_label(const Terminal& terminal, const InstanceBrief& brief) {
    return safe(brief.name.id) + "  " +
           terminal.paint(colour_of(brief.status), to_string(brief.status));
}

/// Goes as deep as the tree does: see Limits::tree_depth.
TreeNode node_of(Context& context, const InstanceBrief& brief) {
    TreeNode node{node_label(context.terminal(), brief), {}};
    for (const InstanceBrief& child :
         must(context.service().ask(requests::ListChildren{brief.run}))) {
        node.below.push_back(node_of(context, child));
    }
    return node;
}

void print_lines(Context& context, const InstanceBrief& brief, const std::string& parent) {
    JsonWriter line;
    line.open_object();
    write_brief(line, brief);
    if (parent.empty()) {
        line.key("parent").null();
    } else {
        line.field("parent", parent);
    }
    line.close_object();
    context.print(line);
    for (const InstanceBrief& child :
         must(context.service().ask(requests::ListChildren{brief.run}))) {
        print_lines(context, child, brief.name.id);
    }
}

Exit run_tree(Context& context, const Arguments& arguments) {
    InstanceName name = context.name(arguments.operand(0));
    if (arguments.has("root")) name.id = std::string(root_of(name.id));
    const InstanceInfo info = must(context.client().inspect(name));
    const InstanceBrief brief{info.run, info.name, info.status};
    if (context.json()) {
        print_lines(context, brief, must(context.client().get_parent_id(name)).value_or(""));
    } else {
        context.print(render_tree(node_of(context, brief)));
    }
    return Exit::ok;
}

}  // namespace

Command tree_command() {
    return {
        .name = "tree",
        .summary = "Draw an instance and everything below it",
        .details = "With --json one line for each, parents first.",
        .operands = {id_operand()},
        .options = {{.name = "root", .help = "begin at the root of its tree"}},
        .examples = {{"belay tree order-9", ""}, {"belay tree order-9/ship --root", ""}},
        .run = run_tree,
    };
}

}  // namespace belay::cli
