#include "cli/flow/run_start.hpp"

#include "cli/commands/input.hpp"
#include "cli/exit_code.hpp"
#include "cli/flow/run_reader.hpp"
#include "cli/reads.hpp"
#include "cli/text.hpp"
#include "expr/value_json.hpp"
#include "flow/definition/params.hpp"
#include "flow/flow_start.hpp"
#include "flow/interpreter/run_input.hpp"
#include <belay/shown_status.hpp>

#include <algorithm>
#include <charconv>
#include <set>
#include <utility>

namespace belay::cli {

namespace {

/// The idempotency key of runs that are started without --new: of two commands at the same time,
/// one starts a run and the other one joins it.
constexpr const char* kKey = "belay run";
/// Runs of a flow that are under way at the same time, and looked at.
constexpr std::uint32_t kMostRuns = 100;

std::string shown(const expr::Value& value) {
    const auto text = expr::to_json(value);
    return text ? fitted(safe(*text), 60) : "?";
}

Problem params_problem(const flow::Problems& problems) {
    std::string text = counted(problems.size(), "mistake") + " in the params:";
    std::string advice;
    for (const flow::Problem& problem : problems) {
        text += "\n" + problem.message;
        if (!problem.advice.empty()) text += "\n    " + problem.advice;
    }
    return Problem(Exit::usage, text, advice);
}

/// All params of a run, with the defaults of its own definition.
expr::Map all_params(const flow::Definition& definition, const expr::Value& given) {
    auto params = flow::check_params(definition, given);
    if (!params) throw params_problem(params.error());
    return std::move(*params);
}

expr::Value params_in(const InstanceInfo& info) {
    try {
        return flow::decode_input(info.input).params;
    } catch (const std::exception& problem) {
        throw Problem(
            Exit::trouble,
            "the params of '" + safe(info.name.id) + "' cannot be read: " + safe(problem.what()));
    }
}

/// True for a run that a person or a schedule started: not one for a failure.
bool is_own_run(const std::string& id) { return id.find('/') == std::string::npos; }

/// Adds the latest runs of these statuses that have not ended for people.
void add_under_way(Context& context,
                   const std::string& flow,
                   std::vector<Status> statuses,
                   std::vector<InstanceInfo>& found) {
    ListOptions options;
    options.space(context.space()).definition(flow).roots_only().statuses(std::move(statuses));
    InstancePage page = or_throw(context.client().list(
        options.order(InstanceOrder::created).descending().page_size(kMostRuns)));
    show_stopping(context, page.instances);
    for (const ListedInstance& listed : page.instances) {
        const InstanceBrief& brief = listed.instance;
        if (is_terminal(brief.status) || !is_own_run(brief.name.id)) continue;
        auto info = context.client().inspect(InstanceAddress(brief.name, brief.run));
        if (info && info->document && !has_ended(*info)) found.push_back(std::move(*info));
    }
}

std::vector<InstanceInfo> under_way(Context& context, const std::string& flow) {
    std::vector<InstanceInfo> found;
    add_under_way(context, flow, {Status::pending, Status::running, Status::canceling}, found);
    // A canceled run is under way for as long as its programs are.
    add_under_way(context, flow, {Status::canceled}, found);
    return found;
}

ChosenFlowRun joined(Context& context, const Pipeline& pipeline, InstanceInfo info) {
    ChosenFlowRun chosen;
    chosen.bundle = bundle_of(context, info);
    chosen.joined = true;
    chosen.file_changed = flow::write_bundle(chosen.bundle) != flow::write_bundle(pipeline.bundle);
    chosen.info = std::move(info);
    return chosen;
}

Problem other_params(const InstanceInfo& info, const std::vector<std::string>& differ) {
    std::string text = "'" + safe(info.name.id) + "' is under way with other params:";
    for (const std::string& line : differ) text += "\n    " + line;
    return Problem(Exit::refused,
                   text,
                   "--join " + info.name.id + " goes on with it, --new starts another beside it");
}

/// The run to join; none if nothing is under way. Throws if all have other params.
std::optional<ChosenFlowRun> find_same(Context& context,
                                       const Pipeline& pipeline,
                                       const RunWish& wish) {
    std::optional<Problem> refusal;
    for (InstanceInfo& info : under_way(context, pipeline.bundle.main)) {
        if (!wish.id.empty() && info.name.id != wish.id) continue;
        ChosenFlowRun chosen = joined(context, pipeline, info);
        const flow::Definition& own = chosen.bundle.main_flow();
        const expr::Map there = all_params(own, params_in(info));
        const auto here = flow::check_params(own, wish.params);
        if (here) {
            const std::vector<std::string> differ = differing_params(there, *here);
            if (differ.empty()) return chosen;
            if (!refusal) refusal = other_params(info, differ);
        } else if (!refusal) {
            refusal = other_params(info, {"its own definition refuses these"});
        }
    }
    if (refusal) throw std::move(*refusal);
    return std::nullopt;
}

// ---- Starting ----------------------------------------------------------------------------------

/// Returns the number behind the last run's id: 7 for "backup-7".
std::uint64_t last_number(Context& context, const std::string& flow) {
    ListOptions options;
    options.space(context.space()).definition(flow).roots_only();
    const InstancePage page = or_throw(context.client().list(
        options.order(InstanceOrder::created).descending().page_size(kMostRuns)));
    std::uint64_t most = 0;
    const std::string prefix = flow + "-";
    for (const ListedInstance& listed : page.instances) {
        const std::string& id = listed.instance.name.id;
        if (!id.starts_with(prefix)) continue;
        std::uint64_t number = 0;
        const char* const end = id.data() + id.size();
        const auto [stopped, problem] = std::from_chars(id.data() + prefix.size(), end, number);
        if (problem == std::errc() && stopped == end) most = std::max(most, number);
    }
    return most;
}

Result<StartResult> try_start(Context& context,
                              const RunWish& wish,
                              const flow::FlowStart& start,
                              const std::string& id) {
    StartOptions options = start.options;
    options.space(context.space()).id(id);
    if (!wish.is_new && wish.id.empty()) options.key(kKey, KeyScope::while_active);
    return context.client().start(start.flow, start.input, options);
}

/// Returns the start, or throws a problem whose advice fits flows.
StartResult started_or_throw(const Result<StartResult>& attempt) {
    if (attempt) return *attempt;
    const Problem problem = problem_of(attempt.error());
    std::string advice = problem.advice();
    if (attempt.error().code() == Errc::id_in_use) {
        advice = "choose another --id, or leave it out; --join goes on with a run";
    } else if (attempt.error().code() == Errc::concurrency_busy) {
        advice =
            "wait for the end of the other run; \"concurrency\" of the definition says what a "
            "run does then";
    } else if (attempt.error().code() == Errc::rate_exceeded) {
        advice =
            "try again later; \"rate\" of the definition says what a run does that is one too many";
    }
    throw Problem(problem.exit(), problem.what(), std::move(advice));
}

/// Starts a run under the next free id, unless one is named.
StartResult start_new(Context& context, const Pipeline& pipeline, const RunWish& wish) {
    const flow::FlowStart start =
        or_throw(flow::flow_start(pipeline.bundle, wish.params, context.user()));
    if (!wish.id.empty()) return started_or_throw(try_start(context, wish, start, wish.id));
    return start_numbered(context, pipeline.bundle.main, [&](const std::string& id) {
        return try_start(context, wish, start, id);
    });
}

}  // namespace

StartResult start_numbered(Context& context,
                           const std::string& flow,
                           const std::function<Result<StartResult>(const std::string& id)>& start) {
    constexpr std::uint64_t kTries = 1'000;
    const std::uint64_t first = last_number(context, flow) + 1;
    for (std::uint64_t i = 0; i < kTries; ++i) {
        const Result<StartResult> attempt = start(flow + "-" + std::to_string(first + i));
        if (attempt || attempt.error().code() != Errc::id_in_use) {
            return started_or_throw(attempt);
        }
    }
    throw Problem(Exit::refused, "no id is free for a new run", "name one: --id ID");
}

std::vector<std::string> differing_params(const expr::Map& there, const expr::Map& here) {
    std::set<std::string> names;
    for (const expr::Map* const map : {&there, &here}) {
        for (const auto& [name, value] : map->entries()) names.insert(name.text());
    }
    std::vector<std::string> lines;
    for (const std::string& name : names) {
        const expr::Value* const a = there.find(name);
        const expr::Value* const b = here.find(name);
        if (a != nullptr && b != nullptr && expr::equal(*a, *b)) continue;
        lines.push_back(safe(name) + " is " + (a == nullptr ? "not set" : shown(*a)) +
                        " there and " + (b == nullptr ? "not set" : shown(*b)) + " here");
    }
    return lines;
}

expr::Value given_params(Context& context,
                         const flow::Definition& definition,
                         const std::vector<std::string>& texts,
                         const std::string& file,
                         const expr::Value& base) {
    std::vector<expr::Map::Entry> entries;
    const auto add = [&](const expr::Value& map) {
        for (const auto& [name, value] : map.map().entries()) {
            const auto same = std::ranges::find_if(
                entries, [&](const auto& entry) { return expr::equal(entry.first, name); });
            if (same == entries.end()) {
                entries.emplace_back(name, value);
            } else {
                same->second = value;
            }
        }
    };
    if (base.is(expr::Kind::map)) add(base);
    if (!file.empty()) {
        const auto read = expr::parse_json(read_content(context, file));
        if (!read) throw usage_problem("--params: " + safe(file) + ": " + read.error().message());
        if (!read->is(expr::Kind::map)) {
            throw usage_problem("--params: " + safe(file) + " is no object: {\"name\": value}");
        }
        add(*read);
    }
    std::vector<std::pair<std::string, std::string>> pairs;
    pairs.reserve(texts.size());
    for (const std::string& text : texts) pairs.push_back(name_and_value("param", text));
    if (!pairs.empty()) {
        const auto read = flow::params_from_texts(definition, pairs);
        if (!read) throw params_problem(read.error());
        add(*read);
    }
    const expr::Value given(*expr::Map::make(std::move(entries)));
    (void)all_params(definition, given);
    return given;
}

ChosenFlowRun choose_run(Context& context, const Pipeline& pipeline, const RunWish& wish) {
    if (!wish.join.empty()) {
        InstanceInfo info = or_throw(context.client().inspect(context.name(wish.join)));
        if (info.definition != pipeline.bundle.main) {
            throw Problem(Exit::refused,
                          "'" + safe(wish.join) + "' is a run of '" + safe(info.definition) +
                              "', not of the flow '" + safe(pipeline.bundle.main) + "'",
                          "'belay list --definition " + pipeline.bundle.main +
                              "' shows the runs of this flow");
        }
        return joined(context, pipeline, std::move(info));
    }
    if (!wish.is_new) {
        if (auto same = find_same(context, pipeline, wish)) return std::move(*same);
    }
    const StartResult started = start_new(context, pipeline, wish);
    if (!started.created && !started.instance.deleted) {
        // Another command has started it at this moment.
        if (auto same = find_same(context, pipeline, wish)) return std::move(*same);
    }
    InstanceInfo info = or_throw(context.client().inspect(started.instance.name));
    ChosenFlowRun chosen = joined(context, pipeline, std::move(info));
    chosen.joined = !started.created;
    return chosen;
}

}  // namespace belay::cli
