// Random events, the same for the same seed.
#pragma once

#include "model/event.hpp"

#include <cstdint>
#include <limits>
#include <string>

namespace belay::model {

class Generator {
public:
    explicit Generator(std::uint64_t seed) : state_(seed * 2 + 1) {}

    std::uint64_t number() {  // SplitMix64.
        std::uint64_t z = (state_ += 0x9E3779B97F4A7C15ULL);
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
        return z ^ (z >> 31);
    }
    std::uint64_t below(std::uint64_t bound) { return number() % bound; }
    bool flag() { return below(2) == 1; }

    /// Bytes of any value: what is stored need not be text.
    std::string bytes() {
        const std::uint64_t size = flag() ? below(8) : below(300);
        std::string value;
        for (std::uint64_t i = 0; i < size; ++i) value.push_back(static_cast<char>(below(256)));
        return value;
    }
    CommandNo command() {
        constexpr std::uint64_t kMax = std::numeric_limits<CommandNo>::max();
        return static_cast<CommandNo>(flag() ? 1 + below(10) : 1 + below(kMax));
    }
    Timestamp time() {
        switch (below(4)) {
            case 0: return from_unix_ms(0);
            case 1: return Timestamp::max();
            case 2: return Timestamp::min();
            default: return from_unix_ms(static_cast<std::int64_t>(number()));
        }
    }
    Payload payload() {
        Payload value(static_cast<PayloadCodec>(below(65'536)), bytes());
        value.flags = static_cast<std::uint16_t>(below(65'536));
        return flag() ? value : Payload::text(bytes());
    }
    Failure failure() {
        return Failure{.kind = static_cast<FailureKind>(1 + below(8)),
                       .message = bytes(),
                       .where = bytes(),
                       .attempt = static_cast<std::uint32_t>(number()),
                       .detail = bytes(),
                       .type = flag() ? bytes() : "",
                       .retryable = flag()};
    }
    CancelRecord cancel() {
        return CancelRecord{.source = static_cast<CancelSource>(1 + below(4)),
                            .by = bytes(),
                            .reason = bytes(),
                            .requested_at = time(),
                            .sequence = number()};
    }
    Outcome outcome() {
        Outcome value;
        switch (below(4)) {
            case 0: value.output = payload(); break;
            case 1:
                value.status = Status::failed;
                value.failure = failure();
                break;
            case 2:
                value.status = Status::canceled;
                value.cancel = cancel();
                value.cleanup = static_cast<Cleanup>(1 + below(6));
                value.cleanup_detail = bytes();
                break;
            default:
                value.status = Status::skipped;
                if (flag()) value.skip_reason = bytes();
                break;
        }
        return value;
    }
    MessageKind channel() {
        return flag() ? MessageKind::event_raised : MessageKind::queue_message;
    }

    ActivityTerms activity_terms() {
        ActivityTerms terms;
        if (flag()) return terms;
        terms.priority = static_cast<std::int32_t>(number());
        terms.fairness_key = bytes();
        if (flag()) terms.schedule_to_start = time();
        if (flag()) terms.start_to_close = Millis(static_cast<std::int64_t>(number()));
        if (flag()) terms.heartbeat_timeout = Millis(static_cast<std::int64_t>(number()));
        if (flag()) terms.session = bytes();
        terms.attempt = static_cast<std::uint32_t>(number());
        terms.first = static_cast<CommandNo>(number());
        return terms;
    }
    ChildTerms child_terms() {
        ChildTerms terms;
        if (flag()) return terms;
        terms.version = bytes();
        if (flag()) terms.labels[bytes()] = bytes();
        if (flag()) terms.labels[bytes()] = static_cast<std::int64_t>(number());
        if (flag()) terms.labels[bytes()] = static_cast<double>(number()) / 7;
        if (flag()) terms.labels[bytes()] = flag();
        terms.parent_close = flag() ? ParentClose::cancel : ParentClose::abandon;
        terms.attempt = static_cast<std::uint32_t>(number());
        return terms;
    }

    /// One of the kind with this number.
    Event event(std::size_t kind) {
        switch (kind) {
            case 0: return ExecutionStarted{bytes(), bytes(), payload()};
            case 1: return TurnStarted{time(), flag()};
            case 2: return CommandCompleted{command(), payload()};
            case 3: return CommandFailed{command(), failure()};
            case 4: return MessageReceived{channel(), bytes(), payload()};
            case 5: return CancelRequested{cancel()};
            case 6:
                return ActivityScheduled{
                    command(), bytes(), bytes(), payload(), flag(), activity_terms()};
            case 7: return TimerScheduled{command(), time(), flag()};
            case 8:
                return ChildScheduled{
                    command(), bytes(), bytes(), payload(), flag(), child_terms(), flag(), flag()};
            case 9: return WaitScheduled{command(), channel(), bytes(), flag()};
            case 10: return CommandCanceled{command()};
            case 11: return CustomStatusSet{payload()};
            case 12: return ExecutionEnded{outcome()};
            case 13: return ExecutionContinued{payload()};
            case 14: return RandomSeeded{number(), number()};
            case 15: return MessageTaken{channel(), bytes()};
            case 16: return KeyValueSet{bytes(), payload()};
            case 17: return KeyValueCleared{bytes()};
            case 18: return KeyValuesCleared();
            case 19: return PatchMarked{bytes()};
            case 20: return NextVersionChosen{bytes()};
            case 21:
                return DetachedStarted{
                    bytes(), bytes(), payload(), bytes(), child_terms().labels, flag()};
            default: return PatchRetired{bytes()};
        }
    }
    Event event() { return event(below(std::variant_size_v<Event>)); }

private:
    std::uint64_t state_;
};

}  // namespace belay::model
