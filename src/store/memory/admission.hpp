// Limits of queues, and sessions: what activities that are leased take up, and who may take one.
#pragma once

#include "store/memory/tables.hpp"

namespace belay::memory {

/// What an Admission asks of these rows.
class AdmissionRows final : public store::AdmissionRows {
public:
    AdmissionRows(const Tables& tables, Timestamp now) : tables_(tables), now_(now) {}

    [[nodiscard]] std::optional<store::QueueRoom> room_of(const std::string& queue) override;
    void add_starts_of(const std::string& queue,
                       const std::string& key,
                       store::QueueRoom& room) override;
    [[nodiscard]] std::optional<store::Session> session(const SessionKey& key) override;
    [[nodiscard]] store::OwnedSessions owned(std::uint64_t holder) override;

private:
    const Tables& tables_;
    Timestamp now_;
};

/// Of an activity; its name is empty if it has none.
[[nodiscard]] SessionKey session_of(const Tables& tables, const Activity& activity);

/// It was leased just now. `idle`: how long its session is kept when nothing of it runs.
void note_begun(Tables& tables, const Activity& activity, Millis idle, Timestamp now);
/// Its lease was extended.
void note_renewed(Tables& tables, const Activity& activity);
/// It has ended under this token, or was given back; CountAttempt::no: nothing of it ran.
void note_ended(Tables& tables, const Activity& activity, CountAttempt count, Timestamp now);
/// Its handler had begun, and ended because its worker leaves.
void note_interrupted(Tables& tables, LeaseToken token, Timestamp now);
/// It was told to stop, and may run on until then.
void note_stopping(Tables& tables, LeaseToken token, Timestamp until);
/// One that was told to stop has ended.
void note_stopped(Tables& tables, LeaseToken token, Timestamp now);

void set_limits(Tables& tables, const SetQueueLimits& part, Timestamp now);

}  // namespace belay::memory
