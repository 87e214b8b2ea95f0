#include "replay/patches.hpp"

#include "replay/checks.hpp"

#include <utility>
#include <variant>

namespace belay::replay {

bool Patches::patched(const std::string& name) {
    if (const std::optional<Way> known = way_of(name)) return *known == Way::new_way;
    require_name("a patch's name", name, limits_.name_bytes);
    const Way way = mark(model::PatchMarked{name}, name);
    ways_.emplace(name, way);
    return way == Way::new_way;
}

void Patches::retire(const std::string& name) {
    if (way_of(name)) return;
    require_name("a patch's name", name, limits_.name_bytes);
    (void)mark(model::PatchRetired{name}, name);
    ways_.emplace(name, Way::new_way);
}

std::optional<Patches::Way> Patches::way_of(const std::string& name) const noexcept {
    if (const auto known = ways_.find(name); known != ways_.end()) return known->second;
    if (journal_.passed_retired(name)) return Way::new_way;
    return std::nullopt;
}

Patches::Way Patches::mark(model::Event fresh, const std::string& name) {
    const model::Event* const recorded = mark_in_history(name);
    if (journal_.replaying() && recorded == nullptr) {
        in_doubt_ = true;
        return Way::old_way;
    }
    if (recorded != nullptr) fresh = *recorded;
    journal_.record(std::move(fresh));
    return Way::new_way;
}

const model::Event* Patches::mark_in_history(const std::string& name) const noexcept {
    for (std::size_t ahead = 0;; ++ahead) {
        const model::Event* const event = journal_.in_history(ahead);
        if (const auto* const retired = std::get_if<model::PatchRetired>(event)) {
            if (retired->name == name) return event;
            continue;
        }
        const auto* const marked = std::get_if<model::PatchMarked>(event);
        return marked != nullptr && marked->name == name ? event : nullptr;
    }
}

}  // namespace belay::replay
