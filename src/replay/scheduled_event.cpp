#include "replay/scheduled_event.hpp"

#include <utility>

namespace belay::replay {

using detail::OperationKind;
using detail::OperationSpec;
using detail::Retrying;

namespace {

model::Event scheduled_activity(const OperationSpec& spec,
                                CommandNo command,
                                bool shielded,
                                const TurnClock& clock,
                                const Retrying* retrying) {
    model::ActivityScheduled event{command, spec.name, spec.queue, spec.input, shielded};
    if (spec.terms) {
        event.terms.priority = spec.terms->priority;
        event.terms.fairness_key = spec.terms->fairness_key;
        if (const auto most = spec.terms->schedule_to_start) {
            event.terms.schedule_to_start = clock.after(*most);
        }
        event.terms.start_to_close = spec.terms->start_to_close;
        event.terms.heartbeat_timeout = spec.terms->heartbeat_timeout;
        event.terms.session = spec.terms->session;
        event.terms.attempt = retrying == nullptr ? 1 : retrying->attempts;
        if (event.terms.attempt > 1) event.terms.first = retrying->first;
    }
    return event;
}

model::Event scheduled_child(const OperationSpec& spec,
                             CommandNo command,
                             bool shielded,
                             const Retrying* retrying) {
    model::ChildScheduled event{command, spec.name, spec.child_id, spec.input, shielded};
    if (spec.terms) {
        event.terms.version = spec.terms->version;
        event.terms.labels = spec.terms->labels;
        event.terms.parent_close = spec.terms->parent_close;
        event.terms.attempt = retrying == nullptr ? 1 : retrying->attempts;
        event.with_document = spec.terms->with_document;
        event.on_fail = spec.terms->on_fail;
        event.part = spec.terms->part;
    }
    return event;
}

}  // namespace

model::Event scheduled_event(const OperationSpec& spec,
                             CommandNo command,
                             bool shielded,
                             const TurnClock& clock,
                             const Retrying* retrying) {
    switch (spec.kind) {
        case OperationKind::activity:
            return scheduled_activity(spec, command, shielded, clock, retrying);
        case OperationKind::timer:
            return model::TimerScheduled{command, clock.after(spec.delay), shielded};
        case OperationKind::child: return scheduled_child(spec, command, shielded, retrying);
        case OperationKind::wait: break;
    }
    return model::WaitScheduled{command, spec.channel, spec.name, shielded};
}

bool is_abandoned_child(const OperationSpec& spec) noexcept {
    return spec.kind == OperationKind::child && spec.terms &&
           spec.terms->parent_close == ParentClose::abandon;
}

}  // namespace belay::replay
