/* The race at the centre: one activity under completion, renewal, cancellation, force-deletion and re-creation of its
 * instance, lease expiry and takeover, crashes, and commits whose outcome is unknown.
 *
 * docs/internals/design/cancellation-race.md says it in words; `run` checks it and shows that each guard is needed.
 */

/* How often the unbounded things happen. */
#ifndef CLAIMS
#define CLAIMS 3  /* claims of the activity, over both runs */
#endif
#ifndef LOCKS
#define LOCKS 2   /* claims of the instance, over both runs */
#endif
#ifndef LOSSES
#define LOSSES 2  /* answers that are lost, commits that are delayed */
#endif
#ifndef CRASHES
#define CRASHES 1 /* deaths of a worker's or the orchestrator's process */
#endif
#ifndef CANCELS
#define CANCELS 1 /* people who cancel: 1 or 2 */
#endif

#include "store.pml"

byte losses = LOSSES;
byte crashes = CRASHES;

/* One commit may be late: it is applied (or not) at any time after its sender gave it up and sent it again. */
mtype = { nothing, late_completion, late_ack_none, late_cancel, late_delete };
mtype late = nothing;
byte late_run;
byte late_token;

#define may_be_late (losses > 0 && late == nothing)

inline becomes_late(kind, r, t) {
    losses--;
    late = kind;
    late_run = r;
    late_token = t
}

inline forget(me) {
    handler[me] = nobody;
    held_run[me] = 0;
    held_token[me] = 0;
    owed[me] = false
}

inline dies(me) {
    crashes--;
    forget(me)
}

/* A handler has ended; its worker still has to say so. */
inline has_ended(me) {
    handler[me] = nobody;
    owed[me] = false
}

/* In each step that commits, the last alternatives are the unknown outcome: it was applied (or refused) and the answer
 * is lost, so that the same is sent again, or nobody is left to hear it. */
proctype Worker(byte me) {
    mtype answer = applied;
    byte r;
    byte t;

end_idle:
    atomic {
        claims < CLAIMS && (claimable(1) || claimable(2)) && (me == 0 || claims > 0);
        if
        :: claimable(1) -> r = 1
        :: claimable(2) -> r = 2
        fi;
        claim_activity(r, t);
        if
        :: held_run[me] = r; held_token[me] = t; handler[me] = running
        :: losses > 0 -> losses--  /* the answer is lost: nobody runs it until the lease expires */
        fi;
        r = 0;
        t = 0;
        if
        :: handler[me] == nobody -> goto end_idle
        :: else
        fi
    }

    do
    /* While it runs it is renewed ... */
    :: atomic {
        handler[me] == running ->
        commit_renewal(held_run[me], held_token[me], answer);
        if
        :: answer == refused_canceled -> handler[me] = told_canceled
        :: answer == refused_lost -> handler[me] = told_lost
        :: else
        fi;
        answer = applied }
    /* ... it may be told at once that its row was taken away (a push, confirmed by a read) ... */
    :: atomic { handler[me] == running && record[held_run[me]] == held_token[me] -> handler[me] = told_canceled }
    /* ... its worker's own clock may say that the lease has passed ... */
    :: handler[me] == running -> handler[me] = told_lost
    /* ... or it returns a result. */
    :: atomic { handler[me] == running -> has_ended(me); goto complete }

    /* It stops when told. Canceled work is acked with none; after a lost lease nothing is acked. */
    :: atomic { handler[me] == told_canceled -> has_ended(me); goto ack_none }
#ifdef BREAK_ACK_AFTER_LOST_LEASE
    :: atomic { handler[me] == told_lost -> has_ended(me); goto ack_none }
#else
    :: atomic { handler[me] == told_lost -> forget(me); goto end_idle }
#endif
    :: atomic { crashes > 0 -> dies(me); goto end_idle }
    od;

complete:
    if
    :: atomic {
        if
        :: true -> commit_completion(held_run[me], held_token[me], answer)
        :: true -> commit_completion_in_line(held_run[me], held_token[me], answer)
        fi;
        if
        :: answer == applied || answer == refused_lost -> answer = applied; forget(me); goto end_idle
        :: answer == refused_canceled -> answer = applied; goto ack_none
        :: answer == refused_turn -> answer = applied; goto complete
        :: answer != refused_turn && losses > 0 -> losses--; answer = applied; goto complete
        :: answer != refused_turn && crashes > 0 -> dies(me); answer = applied; goto end_idle
        fi }
    :: atomic { may_be_late -> becomes_late(late_completion, held_run[me], held_token[me]); goto complete }
    :: atomic { crashes > 0 -> dies(me); goto end_idle }
    fi;

ack_none:
    if
    :: atomic {
        commit_ack_none(held_run[me], held_token[me], answer);
        answer = applied;
        if
        :: forget(me); goto end_idle
        :: losses > 0 -> losses--; goto ack_none
        :: crashes > 0 -> dies(me); goto end_idle
        fi }
    :: atomic { may_be_late -> becomes_late(late_ack_none, held_run[me], held_token[me]); goto ack_none }
    :: atomic { crashes > 0 -> dies(me); goto end_idle }
    fi
}

/* Keeps the coroutine resident between turns. Takes a turn under a lock when there is something to take it for, or in
 * line, without a lock, when it knows where history stands. */
proctype Orchestrator() {
    mtype answer = applied;
    byte r = 1;   /* the resident run and its position; 0: none */
    byte at = 1;
    byte t;
    byte target;
    bool cancel_seen;
    bool consumes;
    bool drops;
    bool ends;

end_idle:
    if
    :: atomic {
        locks < LOCKS && named != 0 && !ended[named] && !lock_live[named] ->  /* there may always be another message */
        r = named;
        claim_run(r, t);
        at = position[r];
        cancel_seen = (cancel_no[r] != 0);
        consumes = (queued_no[r] != 0);
        if
        :: cancel_seen || consumes -> ends = true  /* canceled, or the activity was all it waited for */
        :: !cancel_seen -> drops = !consumes       /* goes on; an activity that is not needed any more is dropped */
        fi }
    /* In line: the activity lost a select. */
    :: atomic {
        r != 0 ->
        commit_turn(r, 0, at, false, false, true, false, answer, target);
        target = 0;
        if
        :: r = 0; at = 0  /* applied: it only waits now; refused: the resident coroutine is destroyed */
        :: answer == applied && losses > 0 -> losses--  /* sent again, it finds the position moved */
        fi;
        answer = applied;
        goto end_idle }
    fi;

turn:
    if
    :: atomic {
        commit_turn(r, t, at, cancel_seen, consumes, drops, ends, answer, target);
        target = 0;
        if
        :: answer == applied && !ends -> at++
        :: answer != applied || ends -> r = 0; at = 0
        :: losses > 0 -> losses--; answer = applied; goto turn
        fi;
        goto rest }
    :: atomic { crashes > 0 -> crashes--; r = 0; at = 0; goto rest }
    fi;
rest:
    atomic { answer = applied; t = 0; cancel_seen = false; consumes = false; drops = false; ends = false; goto end_idle }
}

/* Someone who cancels the instance by its id, sending it again until it is answered. */
proctype Canceler(byte request) {
    byte drawn;
#ifdef BREAK_NUMBER_DRAWN_BEFORE_COMMIT
    d_step { sequence[1]++; drawn = sequence[1] }
#endif
again:
    if
    :: atomic {
        commit_cancel(request, drawn);
        if
        :: true
        :: losses > 0 -> losses--; goto again
        fi }
    :: atomic { may_be_late -> becomes_late(late_cancel, 0, request); goto again }
#ifdef LIVENESS
    :: true  /* or does not */
#endif
    fi
}

/* Force-deletes the instance and starts it again under the same id and a new run key. */
proctype Operator() {
delete:
    if
    :: atomic {
        commit_delete(3);
        if
        :: true
        :: losses > 0 -> losses--; goto delete
        fi }
    :: atomic { may_be_late -> becomes_late(late_delete, 0, 3); goto delete }
#ifdef LIVENESS
    :: true
#endif
    fi;
start:
    atomic {
        commit_start(2, 4);
        if
        :: true
        :: losses > 0 -> losses--; goto start
        fi
    }
}

/* Time passes: leases and locks expire, stopping records are swept. */
proctype Time() {
end_waiting:
    do
    :: atomic { live[1] -> live[1] = false; passed[1] = true }
    :: atomic { live[2] -> live[2] = false; passed[2] = true }
    :: lock_live[1] -> lock_live[1] = false
    :: lock_live[2] -> lock_live[2] = false
#ifndef BREAK_NO_SWEEP
    :: atomic { record[1] != 0 -> record[1] = 0;
                owed[0] = (owed[0] && held_run[0] != 1); owed[1] = (owed[1] && held_run[1] != 1) }
    :: atomic { record[2] != 0 -> record[2] = 0;
                owed[0] = (owed[0] && held_run[0] != 2); owed[1] = (owed[1] && held_run[1] != 2) }
#endif
    od
}

/* Applies the late commit, or drops it. */
proctype Network() {
    mtype answer = applied;
end_waiting:
    atomic {
        late != nothing;
        if
        :: late == late_completion -> commit_completion(late_run, late_token, answer)
        :: late == late_ack_none -> commit_ack_none(late_run, late_token, answer)
        :: late == late_cancel -> commit_cancel(late_token, 1)
        :: late == late_delete -> commit_delete(late_token)
        :: true
        fi;
        late = nothing;
        late_run = 0;
        late_token = 0;
        answer = applied;
        goto end_waiting
    }
}

/* ---- What holds in every state ---- */

/* A row is there exactly as long as its activity is neither completed nor canceled nor deleted. */
#define row_agrees(r) (row[r] == (exists[r] && entered[r] == 0 && !canceled[r]))

/* A completion that was sent stays until a turn takes it, or the run ends or is deleted. */
#define completion_kept(r) (entered[r] == 0 || in_history[r] != 0 || ended[r] || queued_no[r] != 0)

/* A handler that was canceled under its lease is on record until it has ended, or its time is over, or the run is
 * force-deleted: so a run reads as settled only when no such handler is running. */
#define on_record(i) (!owed[i] || record[held_run[i]] == held_token[i])

/* Nothing is left of what was deleted. */
#define nothing_left(r) (!deleted[r] || (!exists[r] && !row[r] && queued_no[r] == 0 && record[r] == 0 && lock[r] == 0))

proctype Monitor() {
end_watching:
    if
    :: atomic { !(row_agrees(1) && row_agrees(2)) -> assert(row_agrees(1) && row_agrees(2)) }
    :: atomic { !(completion_kept(1) && completion_kept(2)) -> assert(completion_kept(1) && completion_kept(2)) }
    :: atomic { !(on_record(0) && on_record(1)) -> assert(on_record(0) && on_record(1)) }
    :: atomic { !(nothing_left(1) && nothing_left(2)) -> assert(nothing_left(1) && nothing_left(2)) }
    fi
}

init {
    atomic {
        start_run(1);
        run Worker(0);
        run Worker(1);
        run Orchestrator();
        run Canceler(1);
#if CANCELS > 1
        run Canceler(2);
#endif
        run Operator();
        run Time();
        run Network();
#ifndef LIVENESS
        run Monitor()
#endif
    }
}

/* ---- What happens eventually, when every process that can go on does ---- */

#ifdef LIVENESS
#define told (handler[0] == told_canceled || handler[0] == told_lost)
#define has_no_lease (handler[0] == running && (token[held_run[0]] != held_token[0] || !live[held_run[0]]))

ltl records_of_the_first_run_go { [] ((record[1] != 0) -> <> (record[1] == 0)) }
ltl records_of_the_second_run_go { [] ((record[2] != 0) -> <> (record[2] == 0)) }
ltl a_handler_that_was_told_ends { [] (told -> <> (handler[0] == nobody)) }
ltl a_handler_without_lease_ends { [] (has_no_lease -> <> (handler[0] == nobody)) }
#endif
