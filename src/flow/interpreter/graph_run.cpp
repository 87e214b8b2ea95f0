#include "flow/interpreter/graph_run.hpp"

#include "model/thrown.hpp"
#include <belay/exceptions.hpp>

#include <exception>

namespace belay::flow {

using expr::Value;

namespace {

/// Evaluates a condition. Throws OperationFailed if it cannot be evaluated, or is no boolean.
bool is_true(const expr::Program& program, const expr::Map& variables, const char* what) {
    const auto value = program.run(variables);
    if (!value) throw_problem(value.error());
    if (!value->is(expr::Kind::boolean)) {
        throw_problem(expr::Problem{program.root().place,
                                    std::string(what) + " must be true or false, not of the type " +
                                        std::string(to_string(value->kind()))});
    }
    return value->boolean();
}

std::string_view name_of(StepEnd::How how) {
    switch (how) {
        case StepEnd::How::completed: return "completed";
        case StepEnd::How::failed: return "failed";
        case StepEnd::How::skipped: break;
    }
    return "skipped";
}

/// Returns the entry of a step in the variable `steps`.
Value variable_of(const StepEnd& end) {
    Fields fields;
    if (end.more.is(expr::Kind::map)) {
        for (const auto& [name, value] : end.more.map().entries()) {
            fields.emplace_back(name.text(), value);
        }
    } else if (end.is_completed()) {
        fields.emplace_back("output", end.output());
    }
    fields.emplace_back("status", Value(std::string(name_of(end.how()))));
    if (end.is_failed()) fields.emplace_back("failure", value_of(end.failure()));
    return Value(map_of(std::move(fields)));
}

/// Returns the entry of a step that had not ended when its list did.
Value canceled_variable() {
    Fields fields;
    fields.emplace_back("status", Value("canceled"));
    return Value(map_of(std::move(fields)));
}

}  // namespace

GraphRun::GraphRun(std::shared_ptr<const Run> run,
                   ListName list,
                   std::shared_ptr<const GraphRun> before)
    : run_(std::move(run)),
      list_(&run_->plan->list(list)),
      before_(std::move(before)),
      steps_(list_->steps->size()),
      more_(run_->more) {
    for (std::size_t i = 0; i < steps_.size(); ++i) {
        steps_[i].awaited = list_->planned[i].awaited;
        if (steps_[i].awaited == 0) steps_[i].turn->open();
        by_name_.emplace((*list_->steps)[i].id, i);
    }
}

void GraphRun::add_variable(std::string name, expr::Value value) {
    more_.emplace_back(std::move(name), std::move(value));
}

bool GraphRun::may_begin() const {
    const auto& condition = run_->definition().condition;
    return !condition || is_true(*condition, with_facts({}), "the condition of the flow");
}

void GraphRun::begin(Timestamp at) const {
    if (run_->observer) run_->observer->list_began(list_->name, at);
}

// ---- Steps -------------------------------------------------------------------------------------

std::optional<StepEnd> GraphRun::end_without_running(const Spot& spot) const {
    const Step& step = this->step(spot);
    for (const std::size_t needed : step.needs) {
        if (steps_[needed].ended == StepEnd::How::completed) continue;
        const bool failed = steps_[needed].ended == StepEnd::How::failed;
        return StepEnd::skipped("it needs '" + (*list_->steps)[needed].id +
                                (failed ? "', which has failed" : "', which was skipped"));
    }
    if (!step.condition) return std::nullopt;
    try {
        if (is_true(*step.condition, variables(spot), "a condition")) return std::nullopt;
        return StepEnd::skipped("its condition is false");
    } catch (const std::exception&) {
        return StepEnd::failed(model::failure_of_current_exception());
    }
}

void GraphRun::set_end(const Spot& spot, const StepEnd& end) {
    StepState& state = steps_[spot.step];
    state.ended = end.how();
    state.output = end.output();
    state.variable = variable_of(end);
}

void GraphRun::end(const Spot& spot, StepEnd end, Timestamp at) {
    if (end_) return;
    if (end.is_failed()) end = StepEnd::failed(located(end.failure(), spot));
    set_end(spot, end);  // Before `end_flow`, which may use the step's own output.
    bool ends_flow = false;
    try {
        ends_flow = end.is_completed() && this->ends_flow(spot);
    } catch (const std::exception&) {
        end = StepEnd::failed(located(model::failure_of_current_exception(), spot));
        set_end(spot, end);
    }
    if (run_->observer) run_->observer->ended(spot, end, at);
    if (end.is_failed() && !step(spot).may_fail) {
        end_list(ListEnd::failed(end.failure()), at);
    } else if (ends_flow) {
        end_list(ListEnd::ended_early(step(spot).id), at);
    }
    open_dependents(spot);
}

void GraphRun::open_dependents(const Spot& spot) {
    if (end_) return;
    for (const std::size_t dependent : planned(spot).dependents) {
        if (--steps_[dependent].awaited == 0) steps_[dependent].turn->open();
    }
}

std::optional<KeptEnd> GraphRun::kept(const Spot& spot) const {
    if (!run_->kept || list() != ListName::steps) return std::nullopt;
    return run_->kept->find(place_name(step(spot).id, std::nullopt));
}

std::optional<KeptEnd> GraphRun::kept(const Spot& spot, const expr::Value& element) const {
    if (!run_->kept || list() != ListName::steps) return std::nullopt;
    std::optional<KeptEnd> kept = run_->kept->find(place_name(step(spot).id, spot.item));
    if (kept && kept->element != fingerprint_of(element)) return std::nullopt;
    return kept;
}

void GraphRun::end(const Spot& spot, const KeptEnd& kept, Timestamp at) {
    if (end_) return;
    set_end(spot, kept.end);
    if (run_->observer) run_->observer->kept(spot, kept);
    if (kept.end.is_failed() && !step(spot).may_fail) {
        end_list(ListEnd::failed(kept.end.failure()), at);
    }
    open_dependents(spot);
}

bool GraphRun::ends_flow(const Spot& spot) const {
    return step(spot).end_flow && is_true(*step(spot).end_flow, variables(spot), "end_flow");
}

void GraphRun::end_list(ListEnd end, Timestamp at) {
    if (end_) return;
    end_ = std::move(end);
    ended_at_ = at;
    for (StepState& state : steps_) {
        if (!state.ended) state.variable = canceled_variable();
    }
    if (run_->observer) run_->observer->list_ended(list_->name, *end_, at);
    over_->open();
}

Failure GraphRun::located(Failure failure, const Spot& spot) const {
    const Step& step = this->step(spot);
    const std::string place = place_name(step.id, spot.item);
    // An item has named itself already when its map fails. A step of a sub-flow may have the name
    // of this one.
    const bool is_of_item = step.map && !spot.item && failure.where.starts_with(place + "[");
    if (is_of_item) return failure;
    if (std::holds_alternative<SubFlow>(step.action) && !failure.where.empty() &&
        failure.where != place) {
        if (!failure.detail.empty()) failure.detail += "\n";
        failure.detail += "failed in '" + failure.where + "' of the flow '" +
                          std::get<SubFlow>(step.action).flow + "'";
    }
    failure.where = place;
    return failure;
}

// ---- Variables ---------------------------------------------------------------------------------

const GraphRun::StepState* GraphRun::find(std::string_view step) const {
    const auto found = by_name_.find(step);
    if (found != by_name_.end()) return &steps_[found->second];
    return before_ ? before_->find(step) : nullptr;
}

void GraphRun::add_all_steps(Fields& fields) const {
    if (before_) before_->add_all_steps(fields);
    for (const auto& [name, step] : by_name_) {
        const Value& variable = steps_[step].variable;
        if (!variable.is(expr::Kind::null)) fields.emplace_back(name, variable);
    }
}

expr::Value GraphRun::steps_for(const PlannedStep& planned) const {
    if (run_->steps) return *run_->steps;
    Fields fields;
    if (planned.reads_all) {
        add_all_steps(fields);
    } else {
        for (const std::string& name : planned.reads) {
            const StepState* const state = find(name);
            const bool is_known = state != nullptr && !state->variable.is(expr::Kind::null);
            if (is_known) fields.emplace_back(name, state->variable);
        }
    }
    return Value(map_of(std::move(fields)));
}

// ---- The items of a map in a child -------------------------------------------------------------

namespace {

/// Returns the entry of a step in `steps`, without its results.
Value without_output(const Value& variable) {
    Fields fields;
    for (const auto& [name, value] : variable.map().entries()) {
        if (name.text() != "output") fields.emplace_back(name.text(), value);
    }
    return Value(map_of(std::move(fields)));
}

}  // namespace

expr::Value GraphRun::steps_for_items(const Uses& uses) const {
    Fields fields;
    if (uses.all) {
        add_all_steps(fields);
        return Value(map_of(std::move(fields)));
    }
    for (const std::string& name : uses.steps) {
        const StepState* const state = find(name);
        if (state == nullptr || state->variable.is(expr::Kind::null)) continue;
        const bool has_output = uses.outputs.contains(name);
        fields.emplace_back(name, has_output ? state->variable : without_output(state->variable));
    }
    return Value(map_of(std::move(fields)));
}

expr::Value GraphRun::params_for_items(const Uses& uses) const {
    if (uses.all_params) return run_->params;
    Fields fields;
    for (const auto& [name, value] : run_->params.map().entries()) {
        if (uses.params.contains(name.text())) fields.emplace_back(name.text(), value);
    }
    return Value(map_of(std::move(fields)));
}

RunInput GraphRun::input_for_items(const Spot& spot) const {
    const Uses& uses = planned(spot).of_items;
    Fields more;
    for (const auto& [name, value] : more_) {
        if (uses.names.contains(name)) more.emplace_back(name, value);
    }
    ItemsInput items;
    items.list = to_string(list());
    items.step = step(spot).id;
    items.keeps_results = planned(spot).output_is_used;
    items.steps = steps_for_items(uses);
    items.more = Value(map_of(std::move(more)));
    items.run = run_->id;
    items.created = run_->created;
    RunInput input;
    input.entry = EntryPoint::items;
    input.params = params_for_items(uses);
    input.items = std::move(items);
    if (run_->kept) input.resume = run_->kept->path();
    return input;
}

// ---- Variables ---------------------------------------------------------------------------------

expr::Map GraphRun::with_facts(Fields fields) const {
    fields.emplace_back("params", run_->params);
    fields.emplace_back("run", run_->facts);
    fields.insert(fields.end(), more_.begin(), more_.end());
    return map_of(std::move(fields));
}

namespace {

/// Returns the variable `step`. Its key is the same for each attempt.
Value step_variable(const Run& run, const Step& step, const Spot& spot) {
    Fields fields;
    fields.emplace_back("id", Value(step.id));
    fields.emplace_back("key", Value(run.id + "/" + place_name(step.id, spot.item)));
    return Value(map_of(std::move(fields)));
}

}  // namespace

expr::Map GraphRun::variables(const Spot& spot) const {
    Fields fields;
    fields.emplace_back("steps", steps_for(planned(spot)));
    fields.emplace_back("step", step_variable(*run_, step(spot), spot));
    return with_facts(std::move(fields));
}

expr::Map GraphRun::variables(const Spot& spot,
                              const expr::Map& of_step,
                              const expr::Value& item) const {
    Fields fields;
    fields.emplace_back("step", step_variable(*run_, step(spot), spot));
    fields.emplace_back(step(spot).map->as, item);
    fields.emplace_back("index", Value(static_cast<std::int64_t>(spot.item.value_or(0))));
    return merged(of_step, std::move(fields));
}

expr::Map GraphRun::variables_of_output() const {
    Fields all;
    add_all_steps(all);
    Fields fields;
    fields.emplace_back("steps", Value(map_of(std::move(all))));
    return with_facts(std::move(fields));
}

expr::Value GraphRun::last_outputs() const {
    Fields fields;
    for (const std::size_t step : list_->last) {
        if (steps_[step].ended != StepEnd::How::completed) continue;
        fields.emplace_back((*list_->steps)[step].id, steps_[step].output);
    }
    return Value(map_of(std::move(fields)));
}

// ---- Cancels of one step or item ---------------------------------------------------------------

void GraphRun::cancel(const Spot& spot, Failure cause) {
    if (end_ || steps_[spot.step].ended) return;
    Cancel& cancel = cancels_[SpotKey(spot.step, spot.item)];
    if (cancel.cause) return;
    cancel.cause = std::move(cause);
    if (!spot.item && !steps_[spot.step].turn->ready()) steps_[spot.step].turn->open();
    cancel.gate->open();
}

AtGate GraphRun::canceled(const Spot& spot) {
    return AtGate(cancels_[SpotKey(spot.step, spot.item)].gate);
}

std::optional<Failure> GraphRun::cancel_of(const Spot& spot) const {
    const auto found = cancels_.find(SpotKey(spot.step, spot.item));
    return found == cancels_.end() ? std::nullopt : found->second.cause;
}

// ---- Cleanups ----------------------------------------------------------------------------------

void GraphRun::guard(const Spot& spot, expr::Map variables) {
    if (!step(spot).on_cancel) return;
    cleanups_.insert_or_assign(SpotKey(spot.step, spot.item), Cleanup{spot, std::move(variables)});
}

void GraphRun::release(const Spot& spot) {
    cancels_.erase(SpotKey(spot.step, spot.item));
    if (step(spot).on_cancel) cleanups_.erase(SpotKey(spot.step, spot.item));
}

std::vector<GraphRun::Cleanup> GraphRun::cleanups_of(const Spot& spot) const {
    std::vector<Cleanup> found;
    for (const auto& [key, cleanup] : cleanups_) {
        const bool is_it = key.first == spot.step && (!spot.item || key.second == spot.item);
        if (is_it) found.push_back(cleanup);
    }
    return found;
}

std::vector<GraphRun::Cleanup> GraphRun::take_cleanups() {
    std::vector<Cleanup> taken;
    for (auto& [key, cleanup] : std::exchange(cleanups_, {})) taken.push_back(std::move(cleanup));
    return taken;
}

}  // namespace belay::flow
