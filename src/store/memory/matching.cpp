#include "store/memory/matching.hpp"

#include <algorithm>

namespace belay::memory {

Matching::Matching(const Tables& tables, const InstanceMatch& match)
    : tables_(tables), match_(match) {
    if (match.ids) ids_.emplace(match.ids->begin(), match.ids->end());
    if (!match.parent) return;
    const Run* parent = find_run(tables, InstanceName{match.space, *match.parent});
    if (parent != nullptr) parent_ = parent->ref;
}

bool Matching::has_status(const Run& run) const {
    if (!match_.statuses) return true;
    return std::find(match_.statuses->begin(), match_.statuses->end(), run.status) !=
           match_.statuses->end();
}

bool Matching::has_labels(const Run& run) const {
    return std::all_of(match_.labels.begin(), match_.labels.end(), [&](const auto& one) {
        const auto label = run.about.labels.find(one.first);
        return label != run.about.labels.end() && label->second == one.second;
    });
}

bool Matching::has_parent(const Run& run) const {
    if (!match_.parent) return true;
    return parent_ && run.about.parent && run.about.parent->run == *parent_;
}

bool Matching::matches(const Run& run) const {
    const auto is = [](const std::optional<std::string>& wanted, const std::string& value) {
        return !wanted || *wanted == value;
    };
    return has_status(run) && has_parent(run) && is(match_.definition, run.about.definition) &&
           is(match_.version, run.about.version) && is(match_.owner, run.about.owner) &&
           has_labels(run) && match_.created.contains(run.created_at) &&
           (match_.ended.empty() || (run.ended_at && match_.ended.contains(*run.ended_at))) &&
           run.about.name.id.starts_with(match_.id_prefix) &&
           (!match_.roots_only || !run.about.parent) && (!match_.held_only || run.held) &&
           (match_.shows_parts() || !run.about.part || !run.about.parent) &&
           (!ids_ || ids_->contains(run.about.name.id));
}

void Matching::each(const std::function<void(const Run&)>& visit) const {
    auto name = tables_.names.lower_bound(InstanceName{match_.space, std::string()});
    for (; name != tables_.names.end() && name->first.space == match_.space; ++name) {
        const Run& run = *find_run(tables_, name->second);
        if (matches(run)) visit(run);
    }
}

}  // namespace belay::memory
