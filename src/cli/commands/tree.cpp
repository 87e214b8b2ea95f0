#include "cli/commands/all.hpp"
#include "cli/commands/input.hpp"
#include "cli/instance_view.hpp"
#include "cli/text.hpp"
#include "cli/tree_view.hpp"
#include "cli/values.hpp"
#include <belay/shown_status.hpp>

#include <algorithm>
#include <optional>

namespace belay::cli {

namespace {

/// An instance of the tree. A child that was deleted after its parent was read has no `info`.
struct Member {
    InstanceBrief brief;
    std::optional<InstanceInfo> info;
};

std::vector<Member> children_of(Context& context, const InstanceBrief& parent) {
    std::vector<Member> found;
    for (const InstanceBrief& child :
         or_throw(context.service().ask(requests::ListChildren{parent.run}))) {
        auto info = context.service().ask(requests::Inspect{child.name, child.run});
        if (!info && info.error().code() == Errc::not_found) {
            found.push_back({child, std::nullopt});
            continue;
        }
        InstanceInfo known = or_throw(std::move(info));
        found.push_back({{known.run, known.name, shown_status(known)}, std::move(known)});
    }
    return found;
}

/// `parent` is empty for the top of the tree, `depth` the columns to the left of the label.
std::string label_of(Context& context,
                     const Member& member,
                     const std::string& parent,
                     std::size_t depth) {
    constexpr std::size_t kNarrowestId = 16;
    const Terminal& terminal = context.terminal();
    const std::string_view status = to_string(member.brief.status);
    std::string rest;
    if (member.info) {
        const Timestamp end = member.info->ended_at.value_or(context.store_now());
        rest = "  " + safe(member.info->definition) + "  " +
               format_duration(std::max(end - member.info->created_at, Millis(0)));
    }
    std::string id =
        safe(parent.empty() ? member.brief.name.id : relative_id(member.brief.name.id, parent));
    if (terminal.out_is_terminal) {
        const std::size_t others = depth + 2 + status.size() + columns_of(rest);
        const std::size_t room = terminal.width > others ? terminal.width - others : 0;
        id = fitted_in_middle(id, std::max(room, kNarrowestId));
    }
    return id + "  " + terminal.paint(colour_of(member.brief.status), status) + rest;
}

/// Goes as deep as the tree does: see Limits::tree_depth.
TreeNode node_of(Context& context,
                 const Member& member,
                 const std::string& parent,
                 std::size_t depth) {
    TreeNode node{label_of(context, member, parent, depth), {}};
    for (const Member& child : children_of(context, member.brief)) {
        node.below.push_back(node_of(context, child, member.brief.name.id, depth + kTreeIndent));
    }
    return node;
}

void print_lines(Context& context, const Member& member, const std::string& parent) {
    JsonWriter line;
    line.open_object();
    write_brief(line, member.brief);
    if (parent.empty()) {
        line.key("parent").null();
    } else {
        line.field("parent", parent);
    }
    if (member.info) {
        line.field("definition", member.info->definition).field("version", member.info->version);
        write_time(line, "created_at", member.info->created_at);
        write_time(line, "started_at", member.info->started_at);
        write_time(line, "ended_at", member.info->ended_at);
    }
    line.close_object();
    context.print(line);
    for (const Member& child : children_of(context, member.brief)) {
        print_lines(context, child, member.brief.name.id);
    }
}

Exit run_tree(Context& context, const Arguments& arguments) {
    InstanceName name = context.name(arguments.operand(0));
    if (arguments.has("root")) name.id = std::string(root_of(name.id));
    const InstanceInfo info = or_throw(context.client().inspect(name));
    const Member top{{info.run, info.name, shown_status(info)}, info};
    if (context.json()) {
        print_lines(context, top, or_throw(context.client().get_parent_id(name)).value_or(""));
    } else {
        context.print(render_tree(node_of(context, top, "", 0)));
    }
    return Exit::ok;
}

}  // namespace

Command tree_command() {
    return {
        .name = "tree",
        .summary = "Draw an instance and everything below it",
        .details =
            "Shows the status, the definition and the duration of each. A child is shown by the "
            "part of its id behind its parent's. With --json one line for each, with the whole "
            "id, parents first.",
        .operands = {id_operand()},
        .options = {{.name = "root", .help = "begin at the root of the tree"}},
        .examples = {{"belay tree order-9", ""}, {"belay tree order-9/ship --root", ""}},
        .run = run_tree,
    };
}

}  // namespace belay::cli
