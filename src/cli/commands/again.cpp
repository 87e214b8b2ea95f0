#include "cli/commands/again.hpp"

#include "cli/commands/input.hpp"
#include "cli/commands/many.hpp"
#include "cli/filter.hpp"
#include "cli/instance_view.hpp"
#include "cli/text.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace belay::cli {

namespace {

constexpr std::size_t kMostTold = 10;

/// The runs that were started, and those that could not be.
struct Again {
    std::uint64_t done = 0;
    std::uint64_t there = 0;
    std::vector<std::pair<std::string, std::string>> refused{};  ///< An id, and why.
};

EndedRuns find(Context& context, const Arguments& arguments) {
    InstanceFilter filter = filter_of(context, arguments);
    for (const Status status : filter.match().statuses.value_or(std::vector<Status>())) {
        if (is_terminal(status)) continue;
        throw usage_problem("only an instance that has ended can run again, not one that is " +
                                std::string(to_string(status)),
                            "say --status failed, --status canceled or --status completed");
    }
    if (const auto limit = number_option(arguments, "limit")) {
        if (*limit == 0) throw usage_problem("--limit is a number from 1 on");
        filter.limit(*limit);
    }
    return or_throw(context.client().find_ended(filter));
}

std::string shown_names(const std::vector<InstanceBrief>& runs) {
    std::string text;
    for (std::size_t i = 0; i < std::min(runs.size(), kMostTold); ++i) {
        text.append(i == 0 ? ": " : ", ").append(safe(runs[i].name.id));
    }
    return text + (runs.size() > kMostTold ? ", ..." : "");
}

void print_json(Context& context,
                const EndedRuns& ended,
                const Again& again,
                const AgainWords& words,
                bool preview) {
    JsonWriter document;
    document.open_object().field("preview", preview).field("matched", ended.found.size());
    document.field(words.count, again.done).field("there", again.there);
    document.field("before", ended.started_again).key("refused").open_array();
    for (const auto& [id, why] : again.refused) {
        document.open_object().field("id", id).field("why", why).close_object();
    }
    document.close_array().field("more", ended.more).close_object();
    context.print(document);
}

void print_text(Context& context, const EndedRuns& ended, const Again& again) {
    if (again.there > 0) {
        context.print_line(counted(again.there, "instance") + " had a new run already");
    }
    if (ended.started_again > 0) {
        context.print_line(counted(ended.started_again, "instance") +
                           " left out: run again or resumed before");
    }
    for (std::size_t i = 0; i < std::min(again.refused.size(), kMostTold); ++i) {
        const auto& [id, why] = again.refused[i];
        context.print_line("not '" + safe(id) + "': " + safe(why));
    }
    if (again.refused.size() > kMostTold) {
        context.print_line("and " + std::to_string(again.refused.size() - kMostTold) +
                           " more, for their own reasons");
    }
    if (ended.more) context.print_line("more match and were left");
}

Again start_each(Context& context,
                 const EndedRuns& ended,
                 const std::function<bool(const InstanceInfo&)>& start) {
    Again again;
    Progress progress(context.terminal());
    for (const InstanceBrief& one : ended.found) {
        try {
            // Exactly the run that was found, whichever has its name by now.
            const InstanceAddress run(one.name, one.run);
            ++(start(or_throw(context.client().inspect(run))) ? again.done : again.there);
        } catch (const Problem& problem) {
            again.refused.emplace_back(one.name.id, problem.what());
        }
        progress.say(std::to_string(again.done + again.there + again.refused.size()) + " of " +
                     std::to_string(ended.found.size()));
    }
    return again;
}

}  // namespace

std::vector<Option> again_options() {
    std::vector<Option> options{{.name = "all", .help = "all that failed or were canceled"},
                                {.name = "limit", .value = "N", .help = "with a filter: at most N"},
                                yes_option()};
    const std::vector<Option> filters = filter_options();
    options.insert(options.end(), filters.begin(), filters.end());
    return options;
}

bool chooses_many(const Arguments& arguments, const std::string& action) {
    const bool many = arguments.has("all") || has_filter(arguments);
    if (many && !arguments.operands().empty()) {
        throw usage_problem("name an instance, or say which match, but not both");
    }
    if (many || !arguments.operands().empty()) return many;
    throw usage_problem("nothing says what to " + action,
                        "give an id, or a filter such as --status failed --definition Import; "
                        "--all for all that failed or were canceled");
}

void refuse_options_of_one(const Arguments& arguments, const std::vector<const char*>& options) {
    refuse_request_id(arguments);
    for (const char* const option : options) {
        if (!arguments.has(option)) continue;
        throw usage_problem("--" + std::string(option) + " is for one instance that is named");
    }
}

Exit start_many_again(Context& context,
                      const Arguments& arguments,
                      const AgainWords& words,
                      const std::function<bool(const InstanceInfo&)>& start) {
    const EndedRuns ended = find(context, arguments);
    const bool preview = arguments.has("dry-run");
    if (!preview && !ended.found.empty()) {
        context.confirm(arguments,
                        words.before + counted(ended.found.size(), "instance") + words.after);
    }
    Again again{.done = ended.found.size()};
    if (!preview) again = start_each(context, ended, start);
    if (context.json()) {
        print_json(context, ended, again, words, preview);
    } else {
        const std::string what = preview ? words.preview + shown_names(ended.found) : words.done;
        context.print_line(counted(again.done, "instance") + " " + what);
        print_text(context, ended, again);
    }
    return again.refused.empty() ? Exit::ok : Exit::refused;
}

}  // namespace belay::cli
