// Params of a flow, and the fields of an approval's answer.
#include "expr/patterns.hpp"
#include "flow/definition/draft.hpp"
#include "flow/definition/limits.hpp"
#include "flow/definition/params.hpp"

namespace belay::flow {

namespace {

using TypeName = std::pair<std::string_view, ParamType>;

constexpr TypeName kTypes[] = {{"string", ParamType::string},
                               {"integer", ParamType::integer},
                               {"number", ParamType::number},
                               {"boolean", ParamType::boolean},
                               {"list", ParamType::list},
                               {"map", ParamType::map},
                               {"any", ParamType::any}};

/// A param while it is read.
struct ParamDraft {
    Param param;
    bool required_given = false;
};

bool is_numeric(ParamType type) noexcept {
    return type == ParamType::integer || type == ParamType::number;
}

void read_of(Reading& in, const Entry& entry, ParamDraft& draft) {
    if (draft.param.type != ParamType::list && draft.param.type != ParamType::map) {
        in.report(entry.key, "only a list or a map has \"of\", the type of its elements");
    }
    (void)in.choice<ParamType>(entry, kTypes, draft.param.of);
}

void read_choices(Reading& in, const Entry& entry, ParamDraft& draft) {
    if (!in.is_list(entry)) return;
    if (entry.value.items.empty()) in.report(entry.value.place, "\"enum\" has no values");
    std::vector<expr::Value> choices;
    for (const yaml::Value& item : entry.value.items) {
        const auto value = in.constant(item);
        if (!value) continue;
        auto fitted = fit(draft.param, *value);
        if (fitted) {
            choices.push_back(*std::move(fitted));
        } else {
            in.report(item.place, "a value of \"enum\" " + fitted.error());
        }
    }
    draft.param.choices = std::move(choices);
}

void read_pattern(Reading& in, const Entry& entry, ParamDraft& draft) {
    std::string pattern;
    if (!in.text(entry, pattern)) return;
    if (draft.param.type != ParamType::string) {
        in.report(entry.key, "only a string has a \"pattern\"");
    }
    if (const auto matches = expr::matches_pattern("", pattern); !matches) {
        in.report(entry.value.place, matches.error(), "Patterns have the syntax of RE2");
        return;
    }
    draft.param.pattern = std::move(pattern);
}

void read_bound(Reading& in, const Entry& entry, const Param& param, std::optional<double>& out) {
    double bound = 0;
    if (!in.number(entry, bound)) return;
    if (!is_numeric(param.type)) {
        in.report(entry.key,
                  "only an integer or a number has " + in_quotes(entry.name) + ", not " +
                      std::string(to_string(param.type)));
        return;
    }
    out = bound;
}

void read_max(Reading& in, const Entry& entry, ParamDraft& draft) {
    read_bound(in, entry, draft.param, draft.param.max);
    const Param& param = draft.param;
    if (param.min && param.max && *param.min > *param.max) {
        in.report(entry.value.place, "\"max\" is less than \"min\"");
    }
}

void read_default(Reading& in, const Entry& entry, ParamDraft& draft) {
    const auto value = in.constant(entry.value);
    if (!value) return;
    if (draft.required_given && draft.param.required) {
        in.report(entry.key,
                  "a param with a default is not required",
                  "Remove \"required\" or \"default\"");
    }
    auto fitted = fit(draft.param, *value);
    if (!fitted) {
        in.report(entry.value.place, "the default " + fitted.error());
        return;
    }
    draft.param.default_value = *std::move(fitted);
    draft.param.required = false;
}

constexpr Field<ParamDraft> kParamFields[] = {
    {"type",
     [](Reading& in, const Entry& entry, ParamDraft& draft) {
         (void)in.choice<ParamType>(entry, kTypes, draft.param.type);
     },
     true},
    {"of", read_of},
    {"enum", read_choices},
    {"pattern", read_pattern},
    {"min",
     [](Reading& in, const Entry& entry, ParamDraft& draft) {
         read_bound(in, entry, draft.param, draft.param.min);
     }},
    {"max", read_max},
    {"required",
     [](Reading& in, const Entry& entry, ParamDraft& draft) {
         draft.required_given = in.boolean(entry, draft.param.required);
     }},
    {"default", read_default},
    {"description",
     [](Reading& in, const Entry& entry, ParamDraft& draft) {
         (void)in.description(entry, draft.param.description);
     }},
};

}  // namespace

void read_params(Reading& in, const Entry& entry, std::string_view what, std::vector<Param>& out) {
    if (!in.is_map(entry.value, in_quotes(entry.name))) return;
    if (entry.value.keys.size() > kMostParams) {
        in.report(
            entry.key,
            in_quotes(entry.name) + " has more than " + std::to_string(kMostParams) + " fields");
        return;
    }
    for (std::size_t i = 0; i < entry.value.keys.size(); ++i) {
        const yaml::Key& key = entry.value.keys[i];
        (void)in.check_name("the name of " + std::string(what), key.name, key.place);
        ParamDraft draft;
        draft.param.name = key.name;
        draft.param.place = key.place;
        (void)read_object<ParamDraft>(in, entry.value.items[i], what, kParamFields, draft);
        out.push_back(std::move(draft.param));
    }
}

std::vector<ObjectFields> param_fields() {
    return {{"a param", names_of<ParamDraft>(kParamFields)}};
}

}  // namespace belay::flow
