// The kinds of steps.
#include "base/duration.hpp"
#include "flow/definition/draft.hpp"
#include "flow/definition/limits.hpp"

#include <algorithm>

namespace belay::flow {

namespace {

using OnTimeoutName = std::pair<std::string_view, OnTimeout>;

constexpr OnTimeoutName kOnTimeouts[] = {
    {"fail", OnTimeout::fail}, {"skip", OnTimeout::skip}, {"complete", OnTimeout::complete}};

constexpr std::string_view kApprovalEvents = "approval/";
constexpr std::string_view kOwnActivities = "belay.";

// ---- Programs ----------------------------------------------------------------------------------

std::optional<Action> read_exec(Reading& in, const Entry& entry) {
    if (entry.value.kind == yaml::Kind::text) {
        in.report(entry.value.place,
                  "\"exec\" must be a list, not a text",
                  "Write the program and its arguments as a list, or use \"script\" for a shell");
        return std::nullopt;
    }
    if (!in.is_list(entry)) return std::nullopt;
    if (entry.value.items.empty()) {
        in.report(entry.value.place, "\"exec\" names no program");
        return std::nullopt;
    }
    Exec exec;
    for (const yaml::Value& item : entry.value.items) {
        auto argument = in.text_form(entry.name, item, SiteKind::action);
        if (!argument) continue;
        const expr::Value* const text = argument->constant();
        if (text != nullptr && text->text().contains('\0')) {
            in.report(item.place, "an argument cannot have a zero byte");
        } else if (text != nullptr && text->text().empty() && exec.program.empty()) {
            in.report(item.place, "the name of the program is empty");
        }
        exec.program.push_back(*std::move(argument));
    }
    return exec;
}

std::optional<Action> read_script(Reading& in, const Entry& entry) {
    Script script;
    if (!in.text(entry, script.text)) return std::nullopt;
    if (const std::size_t at = script.text.find("${{"); at != std::string::npos) {
        in.report(in.place_in(entry.value, at),
                  "a script cannot have expressions: a value could become code of the shell",
                  "Pass the value by \"env\" and write \"$NAME\" in the script");
    }
    if (script.text.find_first_not_of(" \t\n") == std::string::npos) {
        in.report(entry.value.place, "the script is empty");
    }
    if (script.text.size() > kMostScript) {
        in.report(entry.value.place,
                  "the script is longer than " + std::to_string(kMostScript) + " bytes",
                  "Put it into a file, and run that");
    }
    if (script.text.contains('\0')) {
        in.report(entry.value.place, "a script cannot have a zero byte");
    }
    return script;
}

// ---- http --------------------------------------------------------------------------------------

void read_method(Reading& in, const Entry& entry, Http& http) {
    using Method = std::pair<std::string_view, std::string_view>;
    static constexpr Method kMethods[] = {{"GET", "GET"},
                                          {"HEAD", "HEAD"},
                                          {"POST", "POST"},
                                          {"PUT", "PUT"},
                                          {"PATCH", "PATCH"},
                                          {"DELETE", "DELETE"},
                                          {"OPTIONS", "OPTIONS"}};
    std::string_view method = http.method;
    if (in.choice<std::string_view>(entry, kMethods, method)) http.method = method;
}

void read_url(Reading& in, const Entry& entry, Http& http) {
    auto url = in.text_form(entry.name, entry.value, SiteKind::with_secret);
    if (!url) return;
    const expr::Value* const text = url->constant();
    if (text != nullptr && !text->text().starts_with("http://") &&
        !text->text().starts_with("https://")) {
        in.report(entry.value.place, "\"url\" must begin with http:// or https://");
    }
    http.url = *std::move(url);
}

bool is_token(std::string_view name) {
    static constexpr std::string_view kMarks = "!#$%&'*+-.^_`|~";
    return !name.empty() && std::ranges::all_of(name, [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               kMarks.contains(c);
    });
}

void read_headers(Reading& in, const Entry& entry, Http& http) {
    http.headers = in.text_fields(entry, SiteKind::with_secret);
    for (const yaml::Key& key : entry.value.keys) {
        if (!is_token(key.name))
            in.report(key.place, in_quotes(key.name) + " is no name of a header");
    }
    for (std::size_t i = 0; i < entry.value.keys.size(); ++i) {
        const std::string& text = entry.value.items[i].text;
        if (text.find_first_of("\r\n") == std::string::npos) continue;
        in.report(entry.value.items[i].place, "a header cannot have a line break");
    }
}

constexpr Field<Http> kHttpFields[] = {
    {"method", read_method},
    {"url", read_url, true},
    {"headers", read_headers},
    {"json",
     [](Reading& in, const Entry& entry, Http& http) {
         http.json = in.form(entry.name, entry.value, SiteKind::with_secret);
     }},
    {"body",
     [](Reading& in, const Entry& entry, Http& http) {
         http.body = in.text_form(entry.name, entry.value, SiteKind::with_secret);
         if (!http.json) return;
         in.report(entry.key, "a request has \"json\" or \"body\", not both");
     }},
    {"expect",
     [](Reading& in, const Entry& entry, Http& http) {
         (void)in.integers(entry, 100, 599, http.expect);
     }},
    {"follow",
     [](Reading& in, const Entry& entry, Http& http) { (void)in.boolean(entry, http.follow); }},
};

std::optional<Action> read_http(Reading& in, const Entry& entry) {
    Http http;
    if (!read_object<Http>(in, entry.value, in_quotes("http"), kHttpFields, http))
        return std::nullopt;
    return http;
}

// ---- Waiting -----------------------------------------------------------------------------------

std::optional<Action> read_sleep(Reading& in, const Entry& entry) {
    Sleep sleep;
    if (entry.value.kind == yaml::Kind::text && entry.value.text.contains("${{")) {
        auto form = in.text_form(entry.name, entry.value, SiteKind::duration);
        if (!form) return std::nullopt;
        sleep.duration = *std::move(form);
        return sleep;
    }
    Millis duration{};
    if (!in.duration(entry, Millis(0), duration)) return std::nullopt;
    sleep.duration = Form(expr::Value(entry.value.text));
    return sleep;
}

template <class Waiting>
void read_on_timeout(Reading& in, const Entry& entry, Waiting& waiting) {
    (void)in.choice<OnTimeout>(entry, kOnTimeouts, waiting.on_timeout);
}

template <class Waiting>
void read_patience(Reading& in, const Entry& entry, Waiting& waiting) {
    (void)in.duration(entry, Millis(1), waiting.timeout);
}

void must_have_timeout(Reading& in, const yaml::Value& object) {
    const yaml::Value* const on_timeout = object.find("on_timeout");
    if (on_timeout == nullptr || object.find("timeout") != nullptr) return;
    in.report(on_timeout->place, "\"on_timeout\" needs a \"timeout\"");
}

constexpr Field<Wait> kWaitFields[] = {
    {"event",
     [](Reading& in, const Entry& entry, Wait& wait) {
         if (!in.engine_name(entry, wait.event)) return;
         if (!wait.event.starts_with(kApprovalEvents)) return;
         in.report(entry.value.place,
                   "the events approval/... are answers of people",
                   "Use a step of kind approval, or another name");
     },
     true},
    {"timeout", read_patience<Wait>},
    {"on_timeout", read_on_timeout<Wait>},
};

std::optional<Action> read_wait(Reading& in, const Entry& entry) {
    Wait wait;
    if (!read_object<Wait>(in, entry.value, in_quotes("wait"), kWaitFields, wait))
        return std::nullopt;
    must_have_timeout(in, entry.value);
    return wait;
}

void read_from(Reading& in, const Entry& entry, Approval& approval) {
    if (!in.is_list(entry)) return;
    for (const yaml::Value& item : entry.value.items) {
        std::string role;
        if (in.engine_name({entry.name, item.place, item}, role)) approval.from.push_back(role);
    }
}

constexpr Field<Approval> kApprovalFields[] = {
    {"prompt",
     [](Reading& in, const Entry& entry, Approval& approval) {
         auto prompt = in.text_form(entry.name, entry.value, SiteKind::action);
         if (prompt) approval.prompt = *std::move(prompt);
     },
     true},
    {"from", read_from},
    {"input",
     [](Reading& in, const Entry& entry, Approval& approval) {
         read_params(in, entry, "a field of an answer", approval.input);
     }},
    {"timeout", read_patience<Approval>},
    {"on_timeout", read_on_timeout<Approval>},
};

std::optional<Action> read_approval(Reading& in, const Entry& entry) {
    Approval approval;
    if (!read_object<Approval>(in, entry.value, in_quotes("approval"), kApprovalFields, approval)) {
        return std::nullopt;
    }
    must_have_timeout(in, entry.value);
    return approval;
}

// ---- Others ------------------------------------------------------------------------------------

std::optional<Action> read_flow(Reading& in, const Entry& entry) {
    SubFlow flow;
    if (!in.flow_name(entry, flow.flow)) return std::nullopt;
    return flow;
}

std::optional<Action> read_activity(Reading& in, const Entry& entry) {
    Call call;
    if (!in.engine_name(entry, call.activity)) return std::nullopt;
    if (!call.activity.starts_with(kOwnActivities)) return call;
    in.report(entry.value.place, "names of activities that begin with \"belay.\" are Belay's own");
    return std::nullopt;
}

std::optional<Action> read_set(Reading& in, const Entry& entry) {
    auto value = in.form(entry.name, entry.value, SiteKind::action);
    if (!value) return std::nullopt;
    return Set{*std::move(value)};
}

using ReadAction = std::optional<Action> (*)(Reading&, const Entry&);

/// In the order of kStepKinds.
constexpr std::array<ReadAction, kStepKinds.size()> kReaders{read_exec,
                                                             read_script,
                                                             read_http,
                                                             read_sleep,
                                                             read_wait,
                                                             read_approval,
                                                             read_flow,
                                                             read_activity,
                                                             read_set};

}  // namespace

void read_action(Reading& in, const Entry& entry, std::optional<Action>& out) {
    const auto found = std::ranges::find(kStepKinds, entry.name);
    if (found == kStepKinds.end()) return;
    out = kReaders.at(static_cast<std::size_t>(found - kStepKinds.begin()))(in, entry);
}

std::vector<ObjectFields> action_fields() {
    return {{"http", names_of<Http>(kHttpFields)},
            {"wait", names_of<Wait>(kWaitFields)},
            {"approval", names_of<Approval>(kApprovalFields)}};
}

}  // namespace belay::flow
