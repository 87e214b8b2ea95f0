#include "flow/definition/kinds.hpp"

#include "flow/definition/limits.hpp"

#include <algorithm>

namespace belay::flow {

namespace {

using Kinds = std::array<std::string_view, 8>;

/// A field that only these kinds have.
struct SpecialField {
    std::string_view name;
    Kinds kinds;
};

constexpr Kinds kPrograms{"exec", "script"};
constexpr Kinds kActivities{"exec", "script", "http", "activity"};
constexpr Kinds kAttempted{"exec", "script", "http", "flow", "activity"};
constexpr Kinds kMappable{"exec", "script", "http", "sleep", "flow", "activity", "set"};

constexpr SpecialField kSpecialFields[] = {
    {"env", kPrograms},
    {"dir", kPrograms},
    {"stdin", kPrograms},
    {"output", kPrograms},
    {"stop_signal", kPrograms},
    {"with", {"flow", "activity"}},
    {"args", {"activity"}},
    {"arg_types", {"activity"}},
    {"timeout", kAttempted},
    {"retry", kAttempted},
    {"priority", kAttempted},
    {"queue", kActivities},
    {"session", kActivities},
    {"limit_key", kActivities},
    {"map", kMappable},
    {"on_cancel", {"exec", "script", "http", "sleep", "wait", "approval", "flow", "activity"}},
};

/// The fields of `retry` that only these kinds have.
constexpr SpecialField kRetryFields[] = {{"only_exit", kPrograms}, {"only_status", {"http"}}};

bool has(const Kinds& kinds, std::string_view kind) {
    return std::ranges::find(kinds, kind) != kinds.end();
}

void refuse(Reading& in, Place place, const SpecialField& field, std::string_view kind) {
    std::vector<std::string_view> kinds;
    for (const std::string_view one : field.kinds) {
        if (!one.empty()) kinds.push_back(one);
    }
    std::string advice = "Steps of kind " + listed(kinds, "and") + " have it";
    if (field.name == "timeout" && (kind == "wait" || kind == "approval")) {
        advice = "Write it inside of " + in_quotes(kind);
    }
    in.report(place,
              "a step of kind " + std::string(kind) + " has no " + in_quotes(field.name),
              std::move(advice));
}

void refuse_fields(Reading& in,
                   const yaml::Value& object,
                   std::span<const SpecialField> fields,
                   std::string_view kind) {
    for (const SpecialField& field : fields) {
        if (has(field.kinds, kind)) continue;
        const auto key = std::ranges::find(object.keys, field.name, &yaml::Key::name);
        if (key != object.keys.end()) refuse(in, key->place, field, kind);
    }
}

}  // namespace

std::optional<std::string_view> find_kind(Reading& in,
                                          const yaml::Value& object,
                                          std::string_view what,
                                          std::span<const std::string_view> kinds) {
    std::optional<std::string_view> found;
    bool several = false;
    for (const yaml::Key& key : object.keys) {
        const auto kind = std::ranges::find(kinds, key.name);
        if (kind == kinds.end()) continue;
        if (found) {
            several = true;
            in.report(
                key.place,
                std::string(what) + " has two kinds: " + std::string(*found) + " and " + key.name,
                "Make two steps of it");
        } else {
            found = *kind;
        }
    }
    if (!found) {
        in.report(object.place,
                  std::string(what) + " has no kind",
                  "Give it one of " + listed({kinds.begin(), kinds.end()}, "or"));
    }
    return several ? std::nullopt : found;
}

bool takes(std::string_view field, std::string_view kind) {
    const auto found = std::ranges::find(kSpecialFields, field, &SpecialField::name);
    return found == std::end(kSpecialFields) || has(found->kinds, kind);
}

void refuse_misplaced(Reading& in, const yaml::Value& object, std::string_view kind) {
    refuse_fields(in, object, kSpecialFields, kind);
    const yaml::Value* const retry = object.find("retry");
    if (retry != nullptr && takes("retry", kind)) refuse_fields(in, *retry, kRetryFields, kind);
}

FormFields read_with(Reading& in, const Entry& entry, std::vector<Argument>* arguments) {
    FormFields with;
    if (!in.is_map(entry.value, in_quotes(entry.name))) return with;
    for (std::size_t i = 0; i < entry.value.keys.size(); ++i) {
        const yaml::Key& key = entry.value.keys[i];
        auto form = in.form(key.name, entry.value.items[i], SiteKind::action);
        if (!form) continue;
        if (arguments != nullptr) {
            arguments->push_back({key.name, key.place, entry.value.items[i].place, *form, {}});
        }
        with.emplace_back(key.name, *std::move(form));
    }
    return with;
}

void read_args(Reading& in, const Entry& entry, std::optional<CodeArguments>& out) {
    if (!in.is_list(entry)) return;
    if (!out) out.emplace();
    for (const yaml::Value& item : entry.value.items) {
        auto form = in.form(entry.name, item, SiteKind::action);
        if (form) out->values.push_back(*std::move(form));
    }
}

void read_arg_types(Reading& in, const Entry& entry, std::optional<CodeArguments>& out) {
    if (!in.is_list(entry)) return;
    if (!out) {
        in.report(entry.key, in_quotes(entry.name) + " needs \"args\"");
        return;
    }
    for (const yaml::Value& item : entry.value.items) {
        if (auto type = read_code_type(in, {entry.name, item.place, item})) {
            out->types.push_back(*std::move(type));
        }
    }
    if (entry.value.items.size() == out->values.size()) return;
    in.report(entry.value.place,
              in_quotes(entry.name) + " must have one type for each of \"args\"");
}

std::optional<CodeType> read_code_type(Reading& in, const Entry& entry) {
    std::string text;
    if (!in.text(entry, text)) return std::nullopt;
    auto type = CodeType::parse(text);
    if (!type) {
        in.report(entry.value.place,
                  "unknown type " + in_quotes(text),
                  "Write json, string, integer, number or boolean, or list<...> or optional<...> "
                  "of one of these");
    }
    return type;
}

std::optional<int> read_stop_signal(Reading& in, const Entry& entry) {
    int signal = 0;
    if (!in.choice<int>(entry, kStopSignals, signal)) return std::nullopt;
    return signal;
}

void refuse_two_inputs(Reading& in, const yaml::Value& object) {
    if (object.find("with") == nullptr || object.find("args") == nullptr) return;
    in.report(object.place,
              "the activity has two inputs: \"with\" and \"args\"",
              "Write \"args\" for an activity with several parameters, else \"with\"");
}

// ---- Retries -----------------------------------------------------------------------------------

namespace {

/// The attempts of a step that has a `retry` without them.
constexpr std::uint32_t kUsualAttempts = 3;

constexpr Field<RetryDraft> kRetryObject[] = {
    {"attempts",
     [](Reading& in, const Entry& entry, RetryDraft& retry) {
         std::int64_t attempts = 0;
         if (in.integer(entry, 1, kMostAttempts, attempts)) {
             retry.attempts = static_cast<std::uint32_t>(attempts);
         }
     }},
    {"delay",
     [](Reading& in, const Entry& entry, RetryDraft& retry) {
         (void)in.duration(entry, Millis(0), retry.delay);
     }},
    {"factor",
     [](Reading& in, const Entry& entry, RetryDraft& retry) {
         double factor = 1;
         if (!in.number(entry, factor)) return;
         if (factor >= 1 && factor <= kMostFactor) {
             retry.factor = factor;
         } else {
             in.report(entry.value.place, "\"factor\" must be from 1 to 1000");
         }
     }},
    {"max_delay",
     [](Reading& in, const Entry& entry, RetryDraft& retry) {
         if (!in.duration(entry, Millis(0), retry.max_delay)) return;
         if (!retry.delay || *retry.delay <= *retry.max_delay) return;
         in.report(entry.value.place, "\"max_delay\" is less than \"delay\"");
     }},
    {"only_exit",
     [](Reading& in, const Entry& entry, RetryDraft& retry) {
         (void)in.integers(entry, 0, 255, retry.only_exit);
     }},
    {"only_status",
     [](Reading& in, const Entry& entry, RetryDraft& retry) {
         (void)in.integers(entry, 100, 599, retry.only_status);
     }},
};

}  // namespace

void read_retry(Reading& in, const Entry& entry, RetryDraft& out) {
    if (entry.value.kind == yaml::Kind::integer) {
        in.report(entry.value.place,
                  "\"retry\" must be a map, not an integer",
                  "Write retry: {attempts: " + entry.value.text + "}");
        return;
    }
    out.given = read_object<RetryDraft>(in, entry.value, in_quotes("retry"), kRetryObject, out);
}

Retry merged_retry(const RetryDraft& own, const RetryDraft& rest, std::string_view kind) {
    Retry retry;
    if (own.given || rest.given) retry.attempts = kUsualAttempts;
    retry.attempts = own.attempts.value_or(rest.attempts.value_or(retry.attempts));
    retry.delay = own.delay.value_or(rest.delay.value_or(retry.delay));
    retry.factor = own.factor.value_or(rest.factor.value_or(retry.factor));
    retry.max_delay = own.max_delay.value_or(rest.max_delay.value_or(retry.max_delay));
    retry.max_delay = std::max(retry.max_delay, retry.delay);
    if (has(kPrograms, kind)) {
        retry.only_exit = own.only_exit.empty() ? rest.only_exit : own.only_exit;
    }
    if (kind == "http") {
        retry.only_status = own.only_status.empty() ? rest.only_status : own.only_status;
    }
    return retry;
}

std::vector<ObjectFields> retry_fields() { return {{"retry", names_of<RetryDraft>(kRetryObject)}}; }

}  // namespace belay::flow
