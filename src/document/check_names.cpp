#include "document/check_names.hpp"

#include "model/annotations.hpp"
#include <belay/ids.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace belay::document {

namespace {

/// A field of an event that is not valid.
struct BadField {
    std::string_view field;
    Error why;
};

/// Checks one event.
class NameCheck {
public:
    explicit NameCheck(const Limits& limits) : limits_(limits) {}

    [[nodiscard]] std::optional<BadField> run(const model::Event& event) {
        std::visit(
            [this](const auto& one) {
                if constexpr (requires { on(one); }) on(one);
            },
            event);
        return std::exchange(bad_, std::nullopt);
    }

private:
    void on(const model::ExecutionStarted& event) {
        name("definition", "a definition's name", event.definition);
        optional("version", "a version", event.version);
    }
    void on(const model::MessageReceived& event) { message(event.channel, event.name); }
    void on(const model::WaitScheduled& event) { message(event.channel, event.name); }
    void on(const model::MessageTaken& event) { message(event.channel, event.name); }
    void on(const model::ActivityScheduled& event) {
        name("name", "an activity's name", event.name);
        optional("queue", "a queue's name", event.queue);
        optional("terms.fairness_key", "a fairness key", event.terms.fairness_key);
        optional("terms.session", "a session's name", event.terms.session);
    }
    void on(const model::ChildScheduled& event) {
        name("definition", "a definition's name", event.definition);
        keep("id", check_instance_id("a child's id", event.id, limits_.name_bytes));
        optional("terms.version", "a version", event.terms.version);
        labels("terms.labels", event.terms.labels);
    }
    void on(const model::DetachedStarted& event) {
        name("definition", "a definition's name", event.definition);
        name("id", "an instance's id", event.id);
        optional("version", "a version", event.version);
        labels("labels", event.labels);
    }
    void on(const model::KeyValueSet& event) { name("key", "a key", event.key); }
    void on(const model::KeyValueCleared& event) { name("key", "a key", event.key); }
    void on(const model::PatchMarked& event) { name("name", "a patch's name", event.name); }
    void on(const model::PatchRetired& event) { name("name", "a patch's name", event.name); }
    void on(const model::NextVersionChosen& event) {
        optional("version", "a version", event.version);
    }

    void message(MessageKind channel, const std::string& text) {
        const bool queue = channel == MessageKind::queue_message;
        name("name", queue ? "a queue's name" : "an event's name", text);
    }
    void labels(std::string_view field, const Labels& labels) {
        keep(field, model::check_labels(labels, limits_));
    }
    void optional(std::string_view field, std::string_view what, const std::string& text) {
        if (!text.empty()) name(field, what, text);
    }
    void name(std::string_view field, std::string_view what, const std::string& text) {
        keep(field, check_name(what, text, limits_.name_bytes));
    }
    void keep(std::string_view field, const Result<void>& fine) {
        if (!fine && !bad_) bad_ = BadField{field, fine.error()};
    }

    const Limits& limits_;
    std::optional<BadField> bad_;
};

}  // namespace

Result<void> check_event_names(const Document& document, const Limits& limits) {
    NameCheck check(limits);
    for (std::size_t i = 0; i < document.executions.size(); ++i) {
        const auto& turns = document.executions[i].turns;
        for (std::size_t j = 0; j < turns.size(); ++j) {
            for (std::size_t k = 0; k < turns[j].size(); ++k) {
                const std::optional<BadField> bad = check.run(turns[j][k]);
                if (!bad) continue;
                return Error(bad->why.code(),
                             "'executions[" + std::to_string(i) + "].turns[" + std::to_string(j) +
                                 "][" + std::to_string(k) + "]." + std::string(bad->field) +
                                 "' cannot be: " + bad->why.message());
            }
        }
    }
    return {};
}

}  // namespace belay::document
