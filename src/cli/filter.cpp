#include "cli/filter.hpp"

#include "cli/commands/input.hpp"
#include "cli/text.hpp"

#include <algorithm>
#include <array>

namespace belay::cli {

namespace {

constexpr std::array kInstanceStatuses{Status::pending,
                                       Status::running,
                                       Status::canceling,
                                       Status::completed,
                                       Status::failed,
                                       Status::canceled,
                                       Status::skipped};

std::vector<std::string> status_names() {
    std::vector<std::string> names;
    names.reserve(kInstanceStatuses.size());
    for (const Status status : kInstanceStatuses) names.emplace_back(to_string(status));
    return names;
}

/// The parser has made sure that it is one of them.
Status status_named(const std::string& name) {
    for (const Status status : kInstanceStatuses) {
        if (name == to_string(status)) return status;
    }
    throw usage_problem("there is no status '" + safe(name) + "'");
}

}  // namespace

std::vector<Option> filter_options_but_ends() {
    return {
        {.name = "status",
         .value = "STATUS",
         .help = "instances in this status; several: in one of them",
         .choices = status_names(),
         .repeats = true},
        {.name = "definition", .value = "NAME", .help = "runs of this orchestration"},
        {.name = "definition-version",
         .value = "VERSION",
         .help = "runs of this version of the orchestration"},
        {.name = "owner", .value = "NAME", .help = "instances of this owner"},
        {.name = "label",
         .value = "NAME=VALUE",
         .help = "instances with this label; several: with all of them",
         .repeats = true},
        {.name = "parent",
         .value = "ID",
         .help = "direct children of this instance",
         .instance = true},
        {.name = "prefix", .value = "TEXT", .help = "instances whose ids begin with this text"},
        {.name = "roots", .help = "instances without a parent"},
        {.name = "held", .help = "instances that are held: they wait for a person"},
        {.name = "all-parts",
         .help = "also children that do a part of the work of their parents: of large maps"},
        {.name = "created-after",
         .value = "TIME",
         .help = "instances created at this time or later"},
        {.name = "created-before", .value = "TIME", .help = "instances created before this time"}};
}

std::vector<Option> filter_options() {
    std::vector<Option> options = filter_options_but_ends();
    const std::vector<Option> ends{
        {.name = "ended-after",
         .value = "TIME",
         .help = "instances that ended at this time or later"},
        {.name = "ended-before", .value = "TIME", .help = "instances that ended before this time"},
        {.name = "older-than",
         .value = "DURATION",
         .help = "instances that ended at least this long ago"}};
    options.insert(options.end(), ends.begin(), ends.end());
    return options;
}

bool has_any(const Arguments& arguments, const std::vector<Option>& options) {
    return std::any_of(options.begin(), options.end(), [&](const Option& option) {
        return arguments.has(option.name);
    });
}

InstanceFilter filter_but_ends_of(Context& context, const Arguments& arguments) {
    InstanceFilter filter;
    filter.space(context.space());
    for (const std::string& status : arguments.values("status")) {
        filter.status(status_named(status));
    }
    if (auto value = arguments.value("definition")) filter.definition(*value);
    if (auto value = arguments.value("definition-version")) filter.version(*value);
    if (auto value = arguments.value("owner")) filter.owner(*value);
    if (auto value = arguments.value("parent")) filter.parent(*value);
    if (auto value = arguments.value("prefix")) filter.id_prefix(*value);
    for (const std::string& value : arguments.values("label")) {
        const auto [name, label] = name_and_value("label", value);
        filter.label(name, label_value(label));
    }
    if (arguments.has("roots")) filter.roots_only();
    if (arguments.has("held")) filter.held_only();
    if (arguments.has("all-parts")) filter.all_parts();
    if (const auto at = time_option(arguments, "created-after")) filter.created_from(*at);
    if (const auto at = time_option(arguments, "created-before")) filter.created_before(*at);
    return filter;
}

InstanceFilter filter_of(Context& context, const Arguments& arguments) {
    InstanceFilter filter = filter_but_ends_of(context, arguments);
    if (const auto at = time_option(arguments, "ended-after")) filter.ended_from(*at);
    const auto before = time_option(arguments, "ended-before");
    const auto older = duration_option(arguments, "older-than");
    if (before && older) {
        throw usage_problem("--older-than and --ended-before say the same in two ways");
    }
    if (before) filter.ended_before(*before);
    if (older) filter.ended_before(context.store_now() - *older);
    return filter;
}

}  // namespace belay::cli
