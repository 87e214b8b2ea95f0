// The lists and reads of clients, compared with the true store.
#include "simulation/world/labels.hpp"
#include "simulation/world/world.hpp"
#include <belay/client.hpp>
#include <belay/finding.hpp>

#include <set>
#include <utility>

namespace belay::sim {

namespace {

using Ids = std::set<std::string>;

/// Few to a page, so that lists go on behind one.
constexpr std::uint32_t kPage = 3;

std::string to_text(const Ids& ids) {
    std::string text;
    for (const std::string& id : ids) text += " " + id;
    return text;
}

/// Returns none if a list fails or has an instance twice.
std::optional<Ids> listed(Client& client, const std::string& label, const LabelValue& value) {
    Ids ids;
    ListOptions options;
    options.space(kSpace).label(label, value).page_size(kPage);
    for (;;) {
        const Result<InstancePage> page = client.list(options);
        if (!page) return std::nullopt;
        for (const ListedInstance& one : page->instances) {
            if (!ids.insert(one.instance.name.id).second) return std::nullopt;
        }
        if (page->next.empty()) return ids;
        options.after(page->next);
    }
}

/// True if operators started it: it is neither a child nor started by a program on its own.
bool is_started_by_operator(const memory::Run& run) {
    return !run.about.parent && run.about.started_by.empty();
}

}  // namespace

void World::check_client_reads() {
    SimRandom random(1);
    Client client(true_store_.answering(), store_clock_, random, Limits(), setup_.policy);
    std::vector<const memory::Run*> runs;
    true_store_.with_tables([&](memory::Tables& tables) {
        for (const auto& [name, ref] : tables.names) {
            runs.push_back(memory::find_run(std::as_const(tables), ref));
        }
    });
    for (const LabelValue& group : groups()) {
        Ids expected;
        for (const memory::Run* run : runs) {
            const std::string& id = run->about.name.id;
            if (is_started_by_operator(*run) && group_of(id) == group) expected.insert(id);
        }
        check_listed(listed(client, kGroup, group), expected);
    }
    for (const memory::Run* run : runs) {
        Ids expected;
        for (const memory::Run* child : runs) {
            const auto label = child->about.labels.find(kOf);
            if (label != child->about.labels.end() &&
                label->second == LabelValue(run->about.name.id))
                expected.insert(child->about.name.id);
        }
        if (!expected.empty()) check_listed(listed(client, kOf, run->about.name.id), expected);
        check_values(*run, client.values(run->about.name));
    }
}

/// Checks the progress of a run whose activity has said something, if there is one. A file is asked
/// only if its disk has no faults any more, and its content is known.
void World::check_progress() {
    if (true_store_.file() != nullptr && (!quiet_ || !true_store_.settled())) return;
    std::optional<InstanceName> name;
    true_store_.with_tables([&](memory::Tables& tables) {
        for (const auto& [ref, row] : tables.activities) {
            if (name || !row.progress) continue;
            const memory::Run* const run = memory::find_run(std::as_const(tables), ref.run);
            if (run == nullptr) continue;
            // One that lost its name to another is not described.
            const auto named = tables.names.find(run->about.name);
            if (named != tables.names.end() && named->second == ref.run) name = run->about.name;
        }
    });
    if (!name) return;
    SimRandom random(1);
    Client client(true_store_.answering(), store_clock_, random, Limits(), setup_.policy);
    const Result<InstanceDescription> described = client.describe(*name);
    // A file that had trouble may refuse for a while.
    const bool may_fail = true_store_.file() != nullptr;
    violations_.expect(described.ok() || may_fail, "what is there can be described", [&] {
        return name->id + ": " + described.error().describe();
    });
    if (described) observer_.check_progress(*described);
}

void World::check_listed(const std::optional<std::set<std::string>>& found,
                         const std::set<std::string>& expected) {
    observer_.features().add(Feature::found_by_label, expected.size());
    violations_.expect(found == expected, "what has a label is found by it, and nothing else", [&] {
        return "expected" + to_text(expected) + ", found" +
               (found ? to_text(*found) : std::string(" an error, or something twice"));
    });
}

void World::check_values(const memory::Run& run,
                         const Result<std::map<std::string, Payload>>& values) {
    const RunShadow* const shadow = observer_.find(run.ref);
    if (shadow == nullptr || shadow->models.empty()) return;
    if (values) observer_.features().add(Feature::value_read, values->size());
    violations_.expect(values && *values == shadow->current().values(),
                       "clients read the key-values that history set",
                       run.about.name.id);
}

}  // namespace belay::sim
