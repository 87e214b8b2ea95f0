#include "cli/instance_view.hpp"

#include "cli/payload_view.hpp"
#include "cli/text.hpp"
#include "cli/values.hpp"

#include <type_traits>

namespace belay::cli {

std::string relative_id(const std::string& id, const std::string& parent) {
    // Far down in a tree an id is that of the root and a hash.
    for (const std::string_view above : {std::string_view(parent), root_of(parent)}) {
        if (id.starts_with(above) && id.size() > above.size() && id[above.size()] == '/') {
            return id.substr(above.size());
        }
    }
    return id;
}

Colour colour_of(Status status) noexcept {
    switch (status) {
        case Status::completed: return Colour::green;
        case Status::failed: return Colour::red;
        case Status::canceling:
        case Status::canceled: return Colour::yellow;
        case Status::running: return Colour::blue;
        default: return Colour::dim;
    }
}

Cell status_cell(Status status) { return {std::string(to_string(status)), colour_of(status)}; }

std::string failure_line(const Failure& failure) {
    std::string text = "(" + std::string(to_string(failure.kind)) + ") " + failure.message;
    if (!failure.where.empty()) text += ", in " + failure.where;
    if (failure.attempt != 0) text += ", attempt " + std::to_string(failure.attempt);
    return safe(text);
}

std::string failure_detail(const Failure& failure, std::size_t indent) {
    constexpr std::size_t kMostLines = 20;
    const std::string text = safe_lines(failure.detail);
    if (text.find_first_not_of('\n') == std::string::npos) return {};
    return std::string(indent, ' ') + indented(last_lines(text, kMostLines), indent) + "\n";
}

std::string cancel_line(const CancelRecord& record) {
    std::string text = "by " + (record.by.empty() ? "somebody" : record.by) + " (" +
                       std::string(to_string(record.source)) + ")";
    if (!record.reason.empty()) text += ": " + record.reason;
    return safe(text);
}

std::string outcome_line(const Outcome& outcome) {
    std::string status(to_string(outcome.status));
    switch (outcome.status) {
        case Status::completed: return status + ": " + safe(payload_line(outcome.output));
        case Status::failed: return status + " " + failure_line(outcome.failure);
        case Status::canceled: {
            std::string text = status + " " + cancel_line(outcome.cancel) + "; cleanup " +
                               std::string(to_string(outcome.cleanup));
            if (!outcome.cleanup_detail.empty()) text += ": " + safe(outcome.cleanup_detail);
            return text;
        }
        case Status::skipped:
            return outcome.skip_reason.empty() ? status : status + ": " + safe(outcome.skip_reason);
        default: return status;
    }
}

std::string outcome_lines(const Outcome& outcome) {
    const bool failed = outcome.status == Status::failed;
    return outcome_line(outcome) + "\n" + (failed ? failure_detail(outcome.failure, 2) : "");
}

void write_time(JsonWriter& out, const char* name, Timestamp at) {
    out.field(name, format_time(at));
}

void write_time(JsonWriter& out, const char* name, const std::optional<Timestamp>& at) {
    if (at) {
        write_time(out, name, *at);
    } else {
        out.key(name).null();
    }
}

void write_failure(JsonWriter& out, const Failure& failure) {
    out.open_object()
        .field("kind", to_string(failure.kind))
        .field("message", failure.message)
        .field("where", failure.where)
        .field("attempt", failure.attempt)
        .field("detail", failure.detail)
        .field("type", failure.type)
        .field("retryable", failure.retryable)
        .close_object();
}

void write_cancel(JsonWriter& out, const CancelRecord& record) {
    out.open_object()
        .field("source", to_string(record.source))
        .field("by", record.by)
        .field("reason", record.reason);
    write_time(out, "requested_at", record.requested_at);
    out.close_object();
}

void write_outcome(JsonWriter& out, const Outcome& outcome) {
    if (outcome.status == Status::completed) {
        out.key("output");
        write_payload(out, outcome.output);
    } else if (outcome.status == Status::failed) {
        out.key("failure");
        write_failure(out, outcome.failure);
    } else if (outcome.status == Status::canceled) {
        out.key("cancel");
        write_cancel(out, outcome.cancel);
        out.field("cleanup", to_string(outcome.cleanup));
        out.field("cleanup_detail", outcome.cleanup_detail);
    } else if (outcome.status == Status::skipped) {
        out.field("skip_reason", outcome.skip_reason);
    }
}

void write_labels(JsonWriter& out, const Labels& labels) {
    out.open_object();
    for (const auto& [name, value] : labels) {
        std::visit(
            [&, &label = name](const auto& one) {
                out.key(label);
                if constexpr (std::is_same_v<std::decay_t<decltype(one)>, std::string>) {
                    out.text(one);
                } else if constexpr (std::is_same_v<std::decay_t<decltype(one)>, bool>) {
                    out.boolean(one);
                } else {
                    out.number(one);
                }
            },
            value);
    }
    out.close_object();
}

void write_brief(JsonWriter& out, const InstanceBrief& brief) {
    out.field("id", brief.name.id)
        .field("space", brief.name.space)
        .field("run", to_string(brief.run))
        .field("status", to_string(brief.status));
}

}  // namespace belay::cli
