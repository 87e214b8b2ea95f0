#include "model/event.hpp"
#include "testing/handlers.hpp"
#include "testing/parts.hpp"
#include <belay/testing/world.hpp>

#include <algorithm>
#include <utility>

namespace belay::testing {

namespace {

template <class T>
const T& or_throw(const Result<T>& result, const std::string& what) {
    if (!result) throw Problem(what + ": " + result.error().describe());
    return *result;
}

}  // namespace

World::World(Registry registry, const WorldOptions& options)
    : parts_(std::make_unique<Parts>(std::move(registry), options)) {}

World::~World() = default;

Registry& World::registry() noexcept { return parts_->registry; }
Client& World::client() noexcept { return parts_->client; }

// ---- Stand-ins ---------------------------------------------------------------------------------

void World::replace_handler(std::string_view activity, const ActivityHandler& handler) {
    std::string name(activity);
    // So that the runtime knows of it. The executor decides which code is run.
    if (parts_->registry.activity(name) == nullptr) parts_->registry.add_activity(name, handler);
    parts_->replacements.insert_or_assign(std::move(name), handler);
}

void World::replace_with_nothing(std::string_view activity) {
    replace_handler(activity, never_answering_handler());
}

void World::replace_at_first(std::string_view activity, const FailsFirst& stand_in) {
    std::optional<ActivityHandler> then;
    const auto replaced = parts_->replacements.find(activity);
    if (replaced != parts_->replacements.end()) {
        then = replaced->second;
    } else if (const ActivityHandler* const code = parts_->registry.activity(activity)) {
        then = *code;
    }
    replace_handler(
        activity,
        failing_handler(std::string(activity), stand_in, then, [this](const std::string& text) {
            parts_->complain(text);
        }));
}

void World::replace_in_order(std::string_view activity, std::vector<Payload> results) {
    replace_handler(activity,
                    in_order_handler(std::string(activity),
                                     std::move(results),
                                     [this](const std::string& text) { parts_->complain(text); }));
}

// ---- Runs --------------------------------------------------------------------------------------

std::string World::next_id(std::string_view definition) {
    std::string id(definition);
    std::replace(id.begin(), id.end(), '/', '-');
    std::uint64_t& last = parts_->last_ids[std::string(definition)];
    return id + "-" + std::to_string(++last);
}

InstanceName World::started(const Result<StartResult>& result) {
    return or_throw(result, "it could not be started").instance.name;
}

Outcome World::wait_for(const std::string& definition, const InstanceName& name) {
    const Parts::Driving driving(*parts_);
    for (;;) {
        parts_->settle();
        const Result<InstanceInfo> found = parts_->client.inspect(name);
        const InstanceInfo& info = or_throw(found, "there is nothing to wait for");
        if (info.definition != definition) {
            throw Problem("'" + name.id + "' is a run of '" + info.definition + "', not of '" +
                          definition + "'");
        }
        if (info.outcome) return *info.outcome;
        if (!parts_->advance_time()) throw Problem(parts_->never_ends(definition, name));
    }
}

void World::cancel(const InstanceName& name, const std::string& reason, const std::string& by) {
    or_throw(parts_->client.cancel(name, CancelOptions().reason(reason).by(by)),
             "it could not be canceled");
}

void World::send(MessageKind kind,
                 const InstanceName& name,
                 const std::string& channel,
                 Payload payload) {
    const bool event = kind == MessageKind::event_raised;
    const Result<void> sent = event ? parts_->client.raise(name, channel, std::move(payload))
                                    : parts_->client.enqueue(name, channel, std::move(payload));
    if (sent) return;
    throw Problem(std::string(event ? "the event '" : "the message in '") + channel +
                  "' could not be sent: " + sent.error().describe());
}

// ---- Time --------------------------------------------------------------------------------------

Timestamp World::now() { return parts_->clock.wall(); }

void World::run_until_idle() {
    const Parts::Driving driving(*parts_);
    parts_->settle();
}

void World::advance(Millis time) {
    const Parts::Driving driving(*parts_);
    const Millis until = parts_->clock.monotonic() + std::clamp(time, Millis(0), kLongestWait);
    do {
        parts_->settle();
    } while (parts_->advance_time(until));
    parts_->settle();
}

void World::run_until(const std::function<bool()>& reached) {
    const Parts::Driving driving(*parts_);
    while (!reached()) {
        if (parts_->step() || parts_->sweep() > 0 || parts_->advance_time()) continue;
        std::string text =
            "what run_until waits for can never be: nothing is due, and nothing runs that could "
            "come back";
        for (const InstanceName& name : parts_->unended()) {
            text += "\n'" + name.id + "' waits for\n" + parts_->waits_for(name, "  ");
        }
        throw Problem(text);
    }
}

// ---- Looking -----------------------------------------------------------------------------------

Status World::status(const InstanceName& name) {
    return or_throw(parts_->client.inspect(name), "there is no such run").status;
}

std::string World::waits_for(const InstanceName& name) { return parts_->waits_for(name, ""); }

Timeline World::history(const InstanceName& name, ExecutionNo execution) {
    return or_throw(parts_->client.timeline(name, execution), "there is no such history");
}

std::string World::output(const InstanceName& name) {
    std::string text;
    OutputOptions options;
    for (bool more = true; more;) {
        const OutputPage page =
            or_throw(parts_->client.output(name, options), "there is no such output");
        for (const KeptChunk& chunk : page.chunks) text += chunk.text.bytes;
        options.after(page.next);
        more = page.more;
    }
    return text;
}

std::string World::exported(const InstanceName& name) {
    return or_throw(parts_->client.export_instance(name), "it could not be exported");
}

std::vector<ActivityCall> World::calls_of(std::string_view activity) const {
    std::vector<ActivityCall> calls;
    for (const ActivityCall& call : parts_->calls) {
        if (activity.empty() || call.activity == activity) calls.push_back(call);
    }
    return calls;
}

std::string describe_input(const Payload& input) {
    const bool in_parentheses =
        input.codec == PayloadCodec::none || input.codec == PayloadCodec::arguments;
    const std::string text = model::describe(input);
    return in_parentheses ? text : "(" + text + ")";
}

std::string describe_outcome(const Outcome& outcome) {
    // As its history says it, behind the name of the event.
    const std::string text = model::describe(model::Event(model::ExecutionEnded{outcome}));
    return text.substr(text.find(' ') + 1);
}

}  // namespace belay::testing
