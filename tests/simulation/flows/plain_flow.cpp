#include "simulation/flows/plain_flow.hpp"

#include <algorithm>
#include <expected>
#include <variant>

namespace belay::sim {

namespace {

using expr::Kind;
using expr::Value;
using How = PlainEnd::How;
using Evaluated = std::expected<Value, expr::Problem>;

expr::Map map_from(const std::map<std::string, Value>& fields) {
    std::vector<expr::Map::Entry> entries;
    entries.reserve(fields.size());
    for (const auto& [name, value] : fields) entries.emplace_back(Value(name), value);
    return expr::Map::make(std::move(entries)).value_or(expr::Map());
}

PlainEnd completed(Value output) {
    PlainEnd end;
    end.how = How::completed;
    end.output = std::move(output);
    return end;
}

PlainEnd failed(FailureKind kind, std::string type) {
    PlainEnd end;
    end.how = How::failed;
    end.kind = kind;
    end.type = std::move(type);
    return end;
}

PlainEnd failed(const expr::Problem& problem) {
    return failed(problem.limit ? FailureKind::limit : FailureKind::application, "expression");
}

PlainEnd skipped() {
    PlainEnd end;
    end.how = How::skipped;
    return end;
}

std::expected<bool, PlainEnd> truth_of(const expr::Program& program, const expr::Map& variables) {
    const Evaluated value = program.run(variables);
    if (!value) return std::unexpected(failed(value.error()));
    if (!value->is(Kind::boolean)) {
        return std::unexpected(failed(FailureKind::application, "expression"));
    }
    return value->boolean();
}

bool may_be_retried(const Failure& failure) {
    return failure.retryable &&
           (failure.kind == FailureKind::application || failure.kind == FailureKind::timeout ||
            failure.kind == FailureKind::infrastructure);
}

}  // namespace

expr::Value plain_map(const std::map<std::string, expr::Value>& fields) {
    return Value(map_from(fields));
}

expr::Value plain_failure(const Failure& failure) {
    const std::size_t open = failure.where.find('[');
    std::map<std::string, Value> fields;
    fields["step"] = Value(failure.where.substr(0, open));
    if (open != std::string::npos) {
        fields["item"] =
            Value(static_cast<std::int64_t>(std::stoll(failure.where.substr(open + 1))));
    } else {
        fields["item"] = Value();
    }
    fields["kind"] = Value(std::string(to_string(failure.kind)));
    fields["message"] = Value(failure.message);
    fields["detail"] = Value(failure.detail);
    fields["type"] = Value(failure.type);
    fields["attempt"] = Value(std::int64_t{failure.attempt});
    return plain_map(fields);
}

std::string_view to_string(PlainEnd::How how) noexcept {
    switch (how) {
        case How::completed: return "completed";
        case How::failed: return "failed";
        case How::skipped: return "skipped";
        case How::unknown: break;
    }
    return "unknown";
}

std::uint64_t PlainEnd::count(How wanted) const {
    return static_cast<std::uint64_t>(
        std::ranges::count_if(items, [&](const PlainEnd& one) { return one.is(wanted); }));
}

PlainList::PlainList(const flow::Definition& definition,
                     const std::vector<flow::Step>& steps,
                     PlainRun run,
                     const Scripts& scripts,
                     const Others& others)
    : definition_(definition),
      steps_(steps),
      run_(std::move(run)),
      scripts_(scripts),
      others_(others) {
    // Params that were not given have their default, or are null.
    std::map<std::string, Value> params;
    for (const flow::Param& param : definition_.params) {
        const Value* given =
            run_.params.is(Kind::map) ? run_.params.map().find(param.name) : nullptr;
        params[param.name] = given != nullptr ? *given : param.default_value.value_or(Value());
    }
    run_.params = plain_map(params);
}

// ---- Steps -------------------------------------------------------------------------------------

const PlainEnd& PlainList::end_of(std::size_t step) {
    const auto found = ends_.find(step);
    if (found != ends_.end()) return found->second;
    PlainEnd end = evaluated(step);
    return ends_.emplace(step, std::move(end)).first->second;
}

PlainEnd PlainList::evaluated(std::size_t step) {
    const flow::Step& one = steps_[step];
    for (const auto* const before : {&one.needs, &one.after}) {
        for (const std::size_t other : *before) {
            if (end_of(other).is(How::unknown)) return {};
        }
    }
    for (const std::size_t needed : one.needs) {
        if (!end_of(needed).is(How::completed)) return skipped();
    }
    if (one.condition) {
        const auto truth = truth_of(*one.condition, map_from(variables(step, false)));
        if (!truth) return truth.error();
        if (!*truth) {
            PlainEnd end = skipped();
            end.condition_false = true;
            return end;
        }
    }
    PlainEnd end = done(step);
    if (!end.is(How::completed) || !one.end_flow) return end;
    ends_[step] = end;
    const auto ends = truth_of(*one.end_flow, map_from(variables(step, true)));
    ends_.erase(step);
    if (!ends) {
        PlainEnd failure = ends.error();
        failure.attempts = end.attempts;
        failure.is_map = end.is_map;
        failure.items = std::move(end.items);
        return failure;
    }
    end.ends_flow = *ends;
    return end;
}

PlainEnd PlainList::done(std::size_t step) {
    const Variables known = variables(step, false);
    if (steps_[step].map) return mapped(step, known);
    return acted(steps_[step], std::nullopt, known);
}

PlainEnd PlainList::mapped(std::size_t step, const Variables& variables) {
    const flow::MapOver& map = *steps_[step].map;
    const Evaluated over = map.over.run(map_from(variables));
    PlainEnd end;
    end.is_map = true;
    if (!over) return failed(over.error());
    if (!over->is(Kind::list)) return failed(FailureKind::application, "expression");
    expr::List outputs;
    for (std::uint64_t i = 0; i < over->list().size(); ++i) {
        PlainEnd item = end_of_item(step, i, over->list()[i]);
        if (item.is(How::completed)) outputs.push_back(item.output);
        end.items.push_back(std::move(item));
    }
    if (!map.any_may_fail && end.count(How::failed) > map.items_may_fail) {
        end.how = How::failed;  // That of one of its items.
    } else if (end.count(How::unknown) == 0) {
        end.how = How::completed;
        end.output = Value(std::move(outputs));
    }
    return end;
}

PlainEnd PlainList::end_of_item(std::size_t step, std::uint64_t number, const expr::Value& item) {
    const flow::Step& one = steps_[step];
    Variables known = variables(step, false);
    known[one.map->as] = item;
    known["index"] = Value(static_cast<std::int64_t>(number));
    known["step"] = plain_map({{"id", Value(one.id)}, {"key", Value(key_of(one, number))}});
    return acted(one, number, known);
}

PlainEnd PlainList::acted(const flow::Step& step,
                          std::optional<std::uint64_t> item,
                          const Variables& variables) {
    if (const auto* const set = std::get_if<flow::Set>(&step.action)) {
        const Evaluated value = set->value.run(map_from(variables));
        return value ? completed(*value) : failed(value.error());
    }
    if (const auto* const wait = std::get_if<flow::Wait>(&step.action)) return waited(*wait);
    if (std::holds_alternative<flow::Sleep>(step.action)) return completed(Value());
    if (std::holds_alternative<flow::Call>(step.action)) return called(step, variables);
    return started(step, item, variables);
}

PlainEnd PlainList::waited(const flow::Wait& wait) const {
    if (const auto event = others_.event(run_.id, wait.event)) return completed(*event);
    if (!wait.timeout) return {};
    switch (wait.on_timeout) {
        case flow::OnTimeout::skip: return skipped();
        case flow::OnTimeout::complete: return completed(Value());
        case flow::OnTimeout::fail: break;
    }
    return failed(FailureKind::timeout, "");
}

PlainEnd PlainList::called(const flow::Step& step, const Variables& variables) const {
    const std::string& activity = std::get<flow::Call>(step.action).activity;
    std::map<std::string, Value> fields;
    for (const auto& [name, form] : step.with) {
        const Evaluated value = form.run(map_from(variables));
        if (!value) return failed(value.error());
        fields[name] = *value;
    }
    const std::string key = text_in(plain_map(fields), "key");
    for (std::uint32_t attempt = 1;; ++attempt) {
        const Scripted scripted = scripts_.end_of(activity, key, attempt);
        const bool last = attempt >= step.retry.attempts || scripted == Scripted::fails_for_good;
        if (scripted != Scripted::completes && !last) continue;
        PlainEnd end = scripted == Scripted::completes
                           ? completed(scripts_.result_of(plain_map(fields)))
                           : failed(FailureKind::application, kScriptedFailure);
        if (end.is(How::failed)) end.message = Scripts::message_of(key, attempt);
        end.attempts = attempt;
        return end;
    }
}

PlainEnd PlainList::started(const flow::Step& step,
                            std::optional<std::uint64_t> item,
                            const Variables& variables) const {
    for (const auto& [name, form] : step.with) {
        const Evaluated value = form.run(map_from(variables));
        if (!value) return failed(value.error());
    }
    std::string id = run_.id + "/" + step.id;
    if (item) id += "-" + std::to_string(*item);
    for (std::uint32_t attempt = 1;; ++attempt) {
        const auto child = others_.child(attempt == 1 ? id : id + "." + std::to_string(attempt));
        PlainEnd end;
        end.attempts = attempt;
        if (!child) return end;
        if (child->status == Status::completed) {
            end.how = How::completed;
            end.output = child->output;
            return end;
        }
        if (attempt < step.retry.attempts && may_be_retried(child->failure)) continue;
        end.how = How::failed;
        end.kind = child->failure.kind;
        end.type = child->failure.type;
        end.message = child->failure.message;
        return end;
    }
}

// ---- Lists -------------------------------------------------------------------------------------

bool PlainList::ends_list(std::size_t step) {
    const PlainEnd& end = end_of(step);
    return end.ends_flow || (end.is(How::failed) && !steps_[step].may_fail);
}

expr::Value PlainList::entry_of(std::size_t step) {
    const PlainEnd& end = end_of(step);
    std::map<std::string, Value> fields;
    fields["status"] = Value(std::string(to_string(end.how)));
    if (end.is(How::failed)) {
        fields["failure"] = plain_failure(
            Failure{.kind = end.kind, .message = end.message, .where = steps_[step].id});
    }
    if (end.is(How::completed)) fields["output"] = end.output;
    return plain_map(fields);
}

std::optional<expr::Value> PlainList::output() {
    std::map<std::string, Value> all;
    std::set<std::size_t> followed;
    for (std::size_t i = 0; i < steps_.size(); ++i) {
        all[steps_[i].id] = entry_of(i);
        followed.insert(steps_[i].needs.begin(), steps_[i].needs.end());
        followed.insert(steps_[i].after.begin(), steps_[i].after.end());
    }
    if (definition_.output) {
        Variables known{{"params", run_.params}, {"steps", plain_map(all)}};
        const Evaluated value = definition_.output->run(map_from(known));
        if (!value) return std::nullopt;
        return *value;
    }
    std::map<std::string, Value> last;
    for (std::size_t i = 0; i < steps_.size(); ++i) {
        const PlainEnd& end = end_of(i);
        if (!followed.contains(i) && end.is(How::completed)) last[steps_[i].id] = end.output;
    }
    return plain_map(last);
}

// ---- Variables ---------------------------------------------------------------------------------

void PlainList::add_entries_before(std::size_t step, Variables& entries) {
    for (const auto* const before : {&steps_[step].needs, &steps_[step].after}) {
        for (const std::size_t other : *before) {
            entries[steps_[other].id] = entry_of(other);
            add_entries_before(other, entries);
        }
    }
}

PlainList::Variables PlainList::variables(std::size_t step, bool with_itself) {
    Variables entries = run_.before;
    add_entries_before(step, entries);
    if (with_itself) entries[steps_[step].id] = entry_of(step);
    Variables known(run_.more.begin(), run_.more.end());
    known["params"] = run_.params;
    known["steps"] = plain_map(entries);
    known["step"] = plain_map(
        {{"id", Value(steps_[step].id)}, {"key", Value(key_of(steps_[step], std::nullopt))}});
    return known;
}

std::string PlainList::key_of(const flow::Step& step, std::optional<std::uint64_t> item) const {
    std::string key = run_.id + "/" + step.id;
    if (item) key += "[" + std::to_string(*item) + "]";
    return key;
}

}  // namespace belay::sim
