#include "cli/commands/many.hpp"

#include "cli/commands/input.hpp"
#include "cli/filter.hpp"
#include "cli/text.hpp"

namespace belay::cli {

namespace {

struct Active {
    std::vector<InstanceBrief> found;
    bool more = false;
};

Active find_active(Context& context, const Arguments& arguments, const std::string& verb) {
    constexpr std::uint32_t kActivePage = 1'000;
    InstanceFilter filter = active_filter_of(context, arguments, verb);
    if (!filter.match().statuses) {
        filter.statuses({Status::pending, Status::running, Status::canceling});
    }
    std::uint32_t left = number_option(arguments, "limit").value_or(UINT32_MAX);
    if (left == 0) throw usage_problem("--limit is a number from 1 on");
    ListOptions options(filter);
    Active active;
    do {
        const InstancePage page =
            or_throw(context.client().list(options.page_size(std::min(left, kActivePage))));
        for (const ListedInstance& listed : page.instances) {
            active.found.push_back(listed.instance);
        }
        left -= static_cast<std::uint32_t>(page.instances.size());
        active.more = !page.next.empty();
        options.after(page.next);
    } while (active.more && left > 0);
    return active;
}

struct Counts {
    std::uint64_t matched = 0;
    std::uint64_t done = 0;
    std::uint64_t ended = 0;
    std::uint64_t not_found = 0;
};

Before counts_of(const Counts& counts, const ManyWords& words) {
    return {{"matched", counts.matched},
            {words.done, counts.done},
            {"already_ended", counts.ended},
            {"not_found", counts.not_found}};
}

std::string line_of(const Counts& counts, const ManyWords& words) {
    std::string text = counted(counts.done, "instance") + " " + words.done;
    if (counts.ended > 0) text += ", " + std::to_string(counts.ended) + " ended before";
    if (counts.not_found > 0) text += ", " + std::to_string(counts.not_found) + " not found";
    return text;
}

std::string preview_of(const Active& active, const ManyWords& words) {
    constexpr std::size_t kMostShown = 10;
    std::string text = counted(active.found.size(), "instance") + " would be " + words.done;
    for (std::size_t i = 0; i < std::min(active.found.size(), kMostShown); ++i) {
        text += (i == 0 ? ": " : ", ") + safe(active.found[i].name.id);
    }
    return text + (active.found.size() > kMostShown ? ", ..." : "");
}

Exit print_counts(
    Context& context, const Counts& counts, const ManyWords& words, bool preview, bool more) {
    JsonWriter document;
    document.open_object().field("preview", preview);
    for (const auto& [what, count] : counts_of(counts, words)) document.field(what, count);
    document.field("more", more).close_object();
    context.print(document);
    return Exit::ok;
}

}  // namespace

std::vector<Option> active_filter_options() {
    std::vector<Option> options{
        {.name = "all", .help = "all instances of the namespace that have not ended"},
        {.name = "dry-run", .help = "with a filter: only print how many there are"},
        {.name = "limit", .value = "N", .help = "with a filter: at most N"},
        yes_option()};
    const std::vector<Option> filters = filter_options_but_ends();
    options.insert(options.end(), filters.begin(), filters.end());
    return options;
}

bool has_active_filter(const Arguments& arguments, const std::string& but) {
    std::vector<Option> filters = filter_options_but_ends();
    std::erase_if(filters, [&](const Option& option) { return option.name == but; });
    return arguments.has("all") || has_any(arguments, filters);
}

InstanceFilter active_filter_of(Context& context,
                                const Arguments& arguments,
                                const std::string& verb) {
    for (const std::string& status : arguments.values("status")) {
        if (status == "pending" || status == "running" || status == "canceling") continue;
        std::string problem = "only an instance that has not ended can be ";
        problem.append(verb).append(", not one that is ").append(status);
        throw usage_problem(problem, "say --status pending or --status running, or no status");
    }
    return filter_but_ends_of(context, arguments);
}

void refuse_options_of_many(const Arguments& arguments) {
    for (const char* option : {"limit", "dry-run"}) {
        if (!arguments.has(option)) continue;
        throw usage_problem("--" + std::string(option) +
                            " is for a filter, not for instances that are named");
    }
}

void refuse_request_id(const Arguments& arguments) {
    if (!arguments.has("request-id")) return;
    throw usage_problem("a --request-id is for one instance",
                        "repeat the command without it, or name one instance at a time");
}

std::vector<InstanceInfo> inspect_all(Context& context, const std::vector<std::string>& ids) {
    std::vector<InstanceInfo> found;
    found.reserve(ids.size());
    for (const std::string& id : ids) {
        found.push_back(or_throw(context.client().inspect(context.name(id))));
    }
    return found;
}

void for_each_named(const std::vector<std::string>& ids,
                    const std::function<void(const std::string& id)>& act) {
    std::string done;
    for (const std::string& id : ids) {
        try {
            act(id);
        } catch (const Problem& problem) {
            if (done.empty()) throw;
            throw Problem(problem.exit(),
                          std::string(problem.what()) + "; done before that: " + done,
                          problem.advice());
        }
        done += (done.empty() ? "'" : ", '") + safe(id) + "'";
    }
}

Exit change_active(Context& context,
                   const Arguments& arguments,
                   const ManyWords& words,
                   const std::function<Result<bool>(const InstanceName&)>& act) {
    refuse_request_id(arguments);
    const Active active = find_active(context, arguments, words.done);
    Counts counts{.matched = active.found.size()};
    if (arguments.has("dry-run")) {
        counts.done = counts.matched;
        if (context.json()) return print_counts(context, counts, words, true, active.more);
        context.print_line(preview_of(active, words));
        return Exit::ok;
    }
    if (!active.found.empty()) {
        context.confirm(arguments,
                        words.before + counted(active.found.size(), "instance") + words.after);
    }
    Progress progress(context.terminal());
    for (const InstanceBrief& one : active.found) {
        // The question was not about a run that has taken over the id since then.
        const auto info = context.client().inspect(one.name);
        const bool gone = info ? info->run != one.run : info.error().code() == Errc::not_found;
        const Result<bool> acted = gone   ? Result<bool>(false)
                                   : info ? act(one.name)
                                          : Result<bool>(info.error());
        if (!acted) {
            throw stopped_problem(acted.error(),
                                  counts.done == 0 ? "" : line_of(counts, words),
                                  counts_of(counts, words));
        }
        ++(gone ? counts.not_found : *acted ? counts.done : counts.ended);
        progress.say(line_of(counts, words) + " of " + std::to_string(counts.matched));
    }
    if (context.json()) return print_counts(context, counts, words, false, active.more);
    context.print_line(line_of(counts, words));
    if (active.more) context.print_line("more match and were left: repeat the command");
    return Exit::ok;
}

}  // namespace belay::cli
