#include "flow/definition/bundle.hpp"

#include "expr/value_json.hpp"
#include "flow/definition/limits.hpp"
#include "flow/definition/params.hpp"
#include "flow/definition/parse.hpp"
#include "flow/definition/reading.hpp"
#include "flow/definition/types.hpp"
#include "json/value.hpp"
#include "json/writer.hpp"

#include <algorithm>
#include <deque>
#include <memory>
#include <utility>

namespace belay::flow {

namespace {

/// A use of another definition, and the definition that has it.
struct OpenUse {
    std::string user;
    FlowUse use;
};

/// True if a value of this type may be given for the param. An integer may stand for a number.
bool may_be_given(const expr::Type& type, const Param& param) {
    const expr::Type wanted = type_of(param);
    if (param.type == ParamType::number && type.is(expr::Kind::integer)) return true;
    if (param.of == ParamType::number) return may_be(type, expr::Type(*wanted.kind()));
    return may_be(type, wanted);
}

void note_on_fail(const Bundle& bundle, Action& action) {
    auto* const sub = std::get_if<SubFlow>(&action);
    if (sub == nullptr) return;
    const auto found = bundle.flows.find(sub->flow);
    sub->has_on_fail = found != bundle.flows.end() && !found->second.on_fail.empty();
}

/// Tells each step that starts a flow if that one handles its failures.
void note_on_fail(Bundle& bundle) {
    for (auto& [name, flow] : bundle.flows) {
        for (auto* const list : {&flow.steps, &flow.on_fail, &flow.finally, &flow.on_cancel}) {
            for (Step& step : *list) {
                note_on_fail(bundle, step.action);
                if (step.on_cancel) note_on_fail(bundle, step.on_cancel->action);
            }
        }
    }
}

class BundleReader {
public:
    BundleReader(const FindFlow& find, const ReadOptions& options)
        : find_(find), options_(options) {}

    std::expected<Bundle, Problems> read(std::string_view main_text) {
        Parsed main = parse_definition(main_text, options_, Checks::all);
        bundle_.main = main.definition.name;
        add(bundle_.main, std::string(main_text), std::move(main));
        while (!open_.empty()) {
            const OpenUse next = std::move(open_.front());
            open_.pop_front();
            if (!bundle_.flows.contains(next.use.flow)) find_flow(next);
            read_.push_back(next);
        }
        for (const OpenUse& use : read_) check(use);
        if (problems_.empty() && write_bundle(bundle_).size() > kMostDocument) {
            problems_.push_back({kNoPlace,
                                 "the definitions are together longer than " +
                                     std::to_string(kMostDocument) + " bytes"});
        }
        if (!problems_.empty()) return std::unexpected(std::move(problems_));
        note_on_fail(bundle_);
        return std::move(bundle_);
    }

private:
    void report(const std::string& flow,
                Place place,
                std::string message,
                std::string advice = {}) {
        problems_.push_back({place, std::move(message), std::move(advice), flow});
    }

    void add(const std::string& name, std::string text, Parsed parsed) {
        const bool good = parsed.problems.empty();
        for (Problem& problem : parsed.problems) {
            problem.flow = name;
            problems_.push_back(std::move(problem));
        }
        for (FlowUse& use : parsed.uses) open_.push_back({name, std::move(use)});
        if (!good) broken_.push_back(name);
        bundle_.flows.emplace(name, std::move(parsed.definition));
        bundle_.sources.emplace(name, std::move(text));
    }

    void find_flow(const OpenUse& open) {
        const std::string& name = open.use.flow;
        if (std::ranges::find(missing_, name) != missing_.end()) return;
        std::optional<std::string> text;
        if (bundle_.flows.size() >= kMostFlows) {
            report(open.user,
                   open.use.place,
                   "there are more than " + std::to_string(kMostFlows) + " definitions");
        } else if (text = find_(name); !text) {
            report(open.user,
                   open.use.place,
                   "there is no flow " + in_quotes(name),
                   "Its definition must be known, too: a file " + name + ".yaml, " + name +
                       ".yml or " + name + ".json beside this one");
        }
        if (!text) {
            missing_.push_back(name);
            return;
        }
        Parsed parsed = parse_definition(*text, options_, Checks::all);
        if (parsed.problems.empty() && parsed.definition.name != name) {
            parsed.problems.push_back({Place{},
                                       "this is the definition of " +
                                           in_quotes(parsed.definition.name) + ", not of " +
                                           in_quotes(name)});
        }
        add(name, *std::move(text), std::move(parsed));
    }

    void check(const OpenUse& open) {
        const auto found = bundle_.flows.find(open.use.flow);
        if (found == bundle_.flows.end()) return;
        if (std::ranges::find(broken_, open.use.flow) != broken_.end()) return;
        const std::vector<Param>& params = found->second.params;
        for (const Argument& argument : open.use.arguments) check_argument(open, argument, params);
        for (const Param& param : params) {
            const bool given = std::ranges::any_of(
                open.use.arguments, [&](const Argument& one) { return one.name == param.name; });
            if (given || !param.required) continue;
            report(open.user,
                   open.use.place,
                   "the flow " + in_quotes(open.use.flow) + " needs the param " +
                       in_quotes(param.name),
                   "Write it under \"with\"");
        }
    }

    void check_argument(const OpenUse& open,
                        const Argument& argument,
                        const std::vector<Param>& params) {
        const auto param = std::ranges::find(params, argument.name, &Param::name);
        if (param == params.end()) {
            report(open.user,
                   argument.key,
                   "the flow " + in_quotes(open.use.flow) + " has no param " +
                       in_quotes(argument.name),
                   did_you_mean(argument.name, names_of(params)));
            return;
        }
        const std::string name = "param " + in_quotes(argument.name) + " ";
        if (const expr::Value* const value = argument.form.constant()) {
            if (const auto fitted = fit(*param, *value); !fitted) {
                report(open.user, argument.value, name + fitted.error());
            }
        } else if (!may_be_given(argument.type, *param)) {
            report(open.user,
                   argument.value,
                   name + "must be " + std::string(with_article(param->type)) + ", not " +
                       to_string(argument.type));
        }
    }

    const FindFlow& find_;
    const ReadOptions& options_;
    Bundle bundle_;
    Problems problems_;
    std::deque<OpenUse> open_;
    std::vector<OpenUse> read_;
    std::vector<std::string> missing_;
    std::vector<std::string> broken_;
};

Error corrupt(const std::string& what) {
    return {Errc::corrupt, "the document of a flow cannot be read: " + what};
}

const json::Value* member(const json::Value& object, std::string_view name) {
    const auto found = std::ranges::find(object.names, name);
    if (found == object.names.end()) return nullptr;
    return &object.items[static_cast<std::size_t>(found - object.names.begin())];
}

}  // namespace

std::expected<Bundle, Problems> read_bundle(std::string_view main_text,
                                            const FindFlow& find,
                                            const ReadOptions& options) {
    return BundleReader(find, options).read(main_text);
}

std::string write_bundle(const Bundle& bundle) { return write_bundle(bundle, {}); }

std::string write_bundle(const Bundle& bundle, std::string_view kept) {
    json::Writer out;
    out.open_object().field("belay", kLanguage).field("main", bundle.main);
    out.key("flows").open_object();
    for (const auto& [name, text] : bundle.sources) out.field(name, text);
    out.close_object();
    if (!kept.empty()) out.key("kept").raw(kept);
    out.close_object();
    return out.str();
}

Result<Bundle> open_bundle(std::string_view document) {
    const auto parsed = json::parse(document);
    if (!parsed) return corrupt(parsed.error().message());
    const json::Value* const language = member(*parsed, "belay");
    const json::Value* const main = member(*parsed, "main");
    const json::Value* const flows = member(*parsed, "flows");
    if (language == nullptr || main == nullptr || main->kind != json::Kind::text ||
        flows == nullptr || flows->kind != json::Kind::object) {
        return corrupt("it is no document of a flow");
    }
    if (language->text != std::to_string(kLanguage)) {
        return corrupt("version " + language->text + " of the language is unknown");
    }
    std::shared_ptr<const expr::Value> kept;
    if (const json::Value* const results = member(*parsed, "kept")) {
        if (results->kind != json::Kind::object) return corrupt("the kept results are no object");
        kept = std::make_shared<const expr::Value>(expr::from_json(*results));
    }
    Bundle bundle;
    bundle.main = main->text;
    for (std::size_t i = 0; i < flows->names.size(); ++i) {
        const std::string& name = flows->names[i];
        const std::string& text = flows->items[i].text;
        Parsed one = parse_definition(text, {}, Checks::form);
        if (!one.problems.empty()) {
            one.problems.front().flow = name;
            return corrupt(to_string(one.problems.front()));
        }
        one.definition.kept = kept;
        bundle.flows.emplace(name, std::move(one.definition));
        bundle.sources.emplace(name, text);
    }
    if (!bundle.flows.contains(bundle.main)) return corrupt("its main definition is missing");
    note_on_fail(bundle);
    return bundle;
}

}  // namespace belay::flow
