// The fields of a definition.
#include "flow/definition/draft.hpp"
#include "flow/definition/kinds.hpp"
#include "flow/definition/limits.hpp"

#include <algorithm>

namespace belay::flow {

namespace {

using WhenBusyName = std::pair<std::string_view, WhenBusy>;

constexpr WhenBusyName kWhenBusy[] = {{"refuse", WhenBusy::refuse},
                                      {"queue", WhenBusy::queue},
                                      {"replace", WhenBusy::replace},
                                      {"allow", WhenBusy::allow}};

void read_language(Reading& in, const Entry& entry, Draft& /*draft*/) {
    std::int64_t language = 0;
    if (!in.integer(entry, 1, 1'000'000, language) || language == kLanguage) return;
    in.report(entry.value.place,
              "version " + std::to_string(language) + " of the language is unknown",
              "This Belay knows version 1");
}

// ---- Secrets -----------------------------------------------------------------------------------

constexpr Field<Secret> kSecretFields[] = {
    {"env",
     [](Reading& in, const Entry& entry, Secret& secret) {
         if (!in.engine_name(entry, secret.env)) return;
         if (!secret.env.contains('=')) return;
         in.report(entry.value.place, "a name of the environment has no \"=\"");
     }},
    {"file",
     [](Reading& in, const Entry& entry, Secret& secret) {
         if (in.text(entry, secret.file) && secret.file.empty()) {
             in.report(entry.value.place, "\"file\" is empty");
         }
     }},
};

void read_secrets(Reading& in, const Entry& entry, Draft& draft) {
    if (!in.is_map(entry.value, in_quotes(entry.name))) return;
    if (entry.value.keys.size() > kMostSecrets) {
        in.report(entry.key, "there are more than " + std::to_string(kMostSecrets) + " secrets");
        return;
    }
    for (std::size_t i = 0; i < entry.value.keys.size(); ++i) {
        const yaml::Key& key = entry.value.keys[i];
        const yaml::Value& object = entry.value.items[i];
        (void)in.check_name("the name of a secret", key.name, key.place);
        Secret secret;
        secret.name = key.name;
        secret.place = key.place;
        if (read_object<Secret>(in, object, "a secret", kSecretFields, secret) &&
            (object.find("env") != nullptr) == (object.find("file") != nullptr)) {
            in.report(object.place, "a secret comes from \"env\" or from \"file\"");
        }
        draft.definition.secrets.push_back(std::move(secret));
    }
}

// ---- Labels ------------------------------------------------------------------------------------

void read_labels(Reading& in, const Entry& entry, Draft& draft) {
    if (!in.is_map(entry.value, in_quotes(entry.name))) return;
    if (entry.value.keys.size() > kMostLabels) {
        in.report(entry.key, "there are more than " + std::to_string(kMostLabels) + " labels");
        return;
    }
    for (std::size_t i = 0; i < entry.value.keys.size(); ++i) {
        const yaml::Key& key = entry.value.keys[i];
        const yaml::Value& value = entry.value.items[i];
        const bool scalar = value.kind != yaml::Kind::null && value.kind != yaml::Kind::list &&
                            value.kind != yaml::Kind::map;
        if (!scalar) {
            in.report(
                value.place,
                in_quotes(key.name) + " must be a text, not " + std::string(to_string(value.kind)));
        } else if (key.name.empty() || key.name.size() + value.text.size() > kMostLabelText) {
            in.report(key.place,
                      "a label must have a name, and at most " + std::to_string(kMostLabelText) +
                          " bytes with it");
        }
        draft.definition.labels.emplace(key.name, value.text);
    }
}

// ---- Concurrency, rate and defaults ------------------------------------------------------------

struct ConcurrencyDraft {
    std::optional<expr::Program> key{};
    WhenBusy when_busy = WhenBusy::queue;
};

constexpr Field<ConcurrencyDraft> kConcurrencyFields[] = {
    {"key",
     [](Reading& in, const Entry& entry, ConcurrencyDraft& draft) {
         draft.key = in.bare(entry, SiteKind::concurrency);
     },
     true},
    {"when_busy",
     [](Reading& in, const Entry& entry, ConcurrencyDraft& draft) {
         (void)in.choice<WhenBusy>(entry, kWhenBusy, draft.when_busy);
     }},
};

void read_concurrency(Reading& in, const Entry& entry, Draft& draft) {
    ConcurrencyDraft fresh;
    (void)read_object<ConcurrencyDraft>(
        in, entry.value, in_quotes("concurrency"), kConcurrencyFields, fresh);
    if (!fresh.key) return;
    draft.definition.concurrency.emplace(Concurrency{*std::move(fresh.key), fresh.when_busy});
}

using WhenOverName = std::pair<std::string_view, WhenOver>;

constexpr WhenOverName kWhenOver[] = {
    {"refuse", WhenOver::refuse}, {"queue", WhenOver::queue}, {"drop", WhenOver::drop}};

constexpr Field<Rate> kRateFields[] = {
    {"starts",
     [](Reading& in, const Entry& entry, Rate& rate) {
         std::int64_t starts = 0;
         if (in.integer(entry, 1, kMostRateStarts, starts)) {
             rate.starts = static_cast<std::uint32_t>(starts);
         }
     },
     true},
    {"per",
     [](Reading& in, const Entry& entry, Rate& rate) {
         (void)in.duration(entry, Millis(1), rate.per);
     },
     true},
    {"when_over",
     [](Reading& in, const Entry& entry, Rate& rate) {
         (void)in.choice<WhenOver>(entry, kWhenOver, rate.when_over);
     }},
};

void read_rate(Reading& in, const Entry& entry, Draft& draft) {
    Rate rate;
    (void)read_object<Rate>(in, entry.value, in_quotes("rate"), kRateFields, rate);
    draft.definition.rate = rate;
}

constexpr Field<Defaults> kDefaultsFields[] = {
    {"retry",
     [](Reading& in, const Entry& entry, Defaults& defaults) {
         read_retry(in, entry, defaults.retry);
     }},
    {"timeout",
     [](Reading& in, const Entry& entry, Defaults& defaults) {
         (void)in.duration(entry, Millis(1), defaults.timeout);
     }},
    {"queue",
     [](Reading& in, const Entry& entry, Defaults& defaults) {
         (void)in.engine_name(entry, defaults.queue);
     }},
    {"limit_key",
     [](Reading& in, const Entry& entry, Defaults& defaults) {
         defaults.limit_key = in.text_form(entry.name, entry.value, SiteKind::concurrency);
     }},
    {"stop_signal",
     [](Reading& in, const Entry& entry, Defaults& defaults) {
         defaults.stop_signal = read_stop_signal(in, entry);
     }},
};

/// An expression, or a list or a map with expressions in its texts.
void read_output(Reading& in, const Entry& entry, Draft& draft) {
    const yaml::Kind kind = entry.value.kind;
    if (kind == yaml::Kind::list || kind == yaml::Kind::map) {
        draft.definition.output = in.form(entry.name, entry.value, SiteKind::output);
        return;
    }
    if (auto program = in.bare(entry, SiteKind::output)) {
        draft.definition.output = Form(expr::Template::of(*std::move(program)));
    }
}

// ---- The table ---------------------------------------------------------------------------------

/// `defaults` stands before all steps, and `params` before `schedules`.
constexpr Field<Draft> kFlowFields[] = {
    {"$schema",
     [](Reading& in, const Entry& entry, Draft&) {
         std::string ignored;  // It is for editors.
         (void)in.text(entry, ignored);
     }},
    {"belay", read_language, true},
    {"name",
     [](Reading& in, const Entry& entry, Draft& draft) {
         (void)in.flow_name(entry, draft.definition.name);
     },
     true},
    {"description",
     [](Reading& in, const Entry& entry, Draft& draft) {
         (void)in.description(entry, draft.definition.description);
     }},
    {"params",
     [](Reading& in, const Entry& entry, Draft& draft) {
         read_params(in, entry, "a param", draft.definition.params);
     }},
    {"secrets", read_secrets},
    {"env",
     [](Reading& in, const Entry& entry, Draft& draft) {
         draft.definition.env = in.environment(entry, SiteKind::flow_env);
     }},
    {"labels", read_labels},
    {"timeout",
     [](Reading& in, const Entry& entry, Draft& draft) {
         (void)in.duration(entry, Millis(1), draft.definition.timeout);
     }},
    {"expires",
     [](Reading& in, const Entry& entry, Draft& draft) {
         (void)in.duration(entry, Millis(1), draft.definition.expires);
     }},
    {"if",
     [](Reading& in, const Entry& entry, Draft& draft) {
         draft.definition.condition = in.bare(entry, SiteKind::start);
     }},
    {"concurrency", read_concurrency},
    {"rate", read_rate},
    {"priority",
     [](Reading& in, const Entry& entry, Draft& draft) {
         std::int64_t priority = 0;
         if (in.integer(entry, -kMostPriority, kMostPriority, priority)) {
             draft.definition.priority = static_cast<std::int32_t>(priority);
         }
     }},
    {"schedules",
     [](Reading& in, const Entry& entry, Draft& draft) {
         read_schedules(in, entry, draft.definition.schedules);
     }},
    {"defaults",
     [](Reading& in, const Entry& entry, Draft& draft) {
         (void)read_object<Defaults>(
             in, entry.value, in_quotes("defaults"), kDefaultsFields, draft.defaults);
     }},
    {"steps",
     [](Reading& in, const Entry& entry, Draft& draft) {
         read_steps(in, entry, Part::steps, draft);
     },
     true},
    {"on_fail",
     [](Reading& in, const Entry& entry, Draft& draft) {
         read_steps(in, entry, Part::on_fail, draft);
     }},
    {"finally",
     [](Reading& in, const Entry& entry, Draft& draft) {
         read_steps(in, entry, Part::finally, draft);
     }},
    {"on_cancel",
     [](Reading& in, const Entry& entry, Draft& draft) {
         read_steps(in, entry, Part::on_cancel, draft);
     }},
    {"finally_timeout",
     [](Reading& in, const Entry& entry, Draft& draft) {
         (void)in.duration(entry, Millis(1), draft.definition.finally_timeout);
     }},
    {"on_cancel_timeout",
     [](Reading& in, const Entry& entry, Draft& draft) {
         (void)in.duration(entry, Millis(1), draft.definition.on_cancel_timeout);
     }},
    {"output", read_output},
    {"output_type",
     [](Reading& in, const Entry& entry, Draft& draft) {
         draft.definition.output_type = read_code_type(in, entry);
     }},
};

}  // namespace

std::string_view to_string(Part part) noexcept {
    switch (part) {
        case Part::flow: return "";
        case Part::steps: return "steps";
        case Part::on_fail: return "on_fail";
        case Part::finally: return "finally";
        case Part::on_cancel: return "on_cancel";
    }
    return "";
}

Draft read_draft(Reading& in, const yaml::Value& document) {
    Draft draft;
    (void)read_object<Draft>(in, document, "the definition", kFlowFields, draft);
    return draft;
}

std::vector<ObjectFields> flow_fields() {
    return {{"the definition", names_of<Draft>(kFlowFields)},
            {"a secret", names_of<Secret>(kSecretFields)},
            {"concurrency", names_of<ConcurrencyDraft>(kConcurrencyFields)},
            {"rate", names_of<Rate>(kRateFields)},
            {"defaults", names_of<Defaults>(kDefaultsFields)}};
}

std::vector<ObjectFields> all_fields() {
    std::vector<ObjectFields> all = flow_fields();
    for (const auto& more :
         {param_fields(), schedule_fields(), step_fields(), action_fields(), retry_fields()}) {
        all.insert(all.end(), more.begin(), more.end());
    }
    return all;
}

}  // namespace belay::flow
