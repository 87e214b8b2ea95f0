#include "cli/step_output.hpp"

#include "cli/instance_view.hpp"

#include <algorithm>
#include <utility>

namespace belay::cli {

namespace {

constexpr std::string_view kDigits = "0123456789";

/// Returns the name under which a step starts a child: "build-3" for "build[3]".
std::string child_name(std::string_view step) {
    std::string name(step);
    const std::size_t bracket = name.find('[');
    if (bracket == std::string::npos || !name.ends_with(']')) return name;
    name.pop_back();
    name[bracket] = '-';
    return name;
}

/// Returns the part before the number of an item: "build" for "build-3".
std::string_view without_number(std::string_view child) {
    const std::size_t end = child.find_last_not_of(kDigits);
    const bool numbered = end != std::string_view::npos && end + 1 < child.size();
    return numbered && child[end] == '-' ? child.substr(0, end) : child;
}

bool has_output(Context& context, RunRef run, const std::string& step) {
    OutputOptions options;
    for (;;) {
        const auto page = context.service().ask(options.request(run));
        if (!page) return false;
        const bool there = std::ranges::any_of(page->chunks, [&](const KeptChunk& chunk) {
            return page->attempts[chunk.attempt].source == step;
        });
        if (there || !page->more) return there;
        options.after(page->next);
    }
}

}  // namespace

std::string prefixed(const std::string& child, const std::string& source) {
    if (child.empty()) return source;
    const std::size_t last = child.rfind('/');
    const std::string_view name =
        std::string_view(child).substr(last == std::string::npos ? 0 : last + 1);
    const std::string item = std::string(without_number(name)) + "[";
    return source.starts_with(item) ? source : child + "/" + source;
}

bool is_output_of(std::string_view source, std::string_view step) {
    if (source == step) return true;
    if (source.starts_with(child_name(step) + "/")) return true;
    if (!source.starts_with(step)) return false;
    const std::string_view rest = source.substr(step.size());
    if (rest.starts_with('[')) return true;
    const std::size_t end = rest.find_first_not_of(kDigits, 1);
    return rest.starts_with('-') && end != std::string_view::npos && end > 1 && rest[end] == '/';
}

std::optional<FailedOutput> find_failed_output(Context& context, InstanceInfo run) {
    // Each run is a child of the one before.
    while (run.outcome && run.outcome->status == Status::failed) {
        const std::string step = run.outcome->failure.where;
        if (step.empty()) return std::nullopt;
        if (has_output(context, run.run, step)) return FailedOutput{run.name.id, step};
        const std::string own = run.name.id + "/" + child_name(step);
        auto child = context.client().inspect(InstanceName{run.name.space, own});
        if (child && child->outcome && child->outcome->status == Status::failed) {
            run = std::move(*child);
            continue;
        }
        const auto children = context.service().ask(requests::ListChildren{run.run});
        const bool of_large_map =
            children && std::ranges::any_of(*children, [&](const InstanceBrief& one) {
                return prefixed(relative_id(one.name.id, run.name.id), step) == step &&
                       has_output(context, one.run, step);
            });
        if (of_large_map) return FailedOutput{run.name.id, step};
        return std::nullopt;
    }
    return std::nullopt;
}

}  // namespace belay::cli
