/* The store, as far as one activity of one instance id concerns it.
 *
 * Each `commit_*` and `claim_*` is one atomic step: guards first, then effects, as the store contract says
 * (include/belay/store/transition.hpp). Runs are numbered 1 (the first) and 2 (re-created under the same id after a
 * force-deletion); that number is the run key. The parts of a run are arrays indexed by it.
 *
 * BREAK_... removes one guard on purpose: a negative control, see `run`.
 */

#define RUNS 3 /* index 0 is "no run" */

mtype = { applied, refused_canceled, refused_lost, refused_turn };

/* ---- What is stored ---- */

byte named;           /* the run that the id names now; 0: none */
bool exists[RUNS];    /* the instance row */
bool ended[RUNS];
byte position[RUNS];  /* how many turns were committed */
byte lock[RUNS];      /* token of the instance lock; 0: nobody */
bool lock_live[RUNS];
byte sequence[RUNS];  /* the last message number given */
byte cancel_no[RUNS]; /* number of the cancel record; 0: not canceled */

bool row[RUNS];       /* the activity's row in the worker queue */
byte token[RUNS];     /* who leases it; 0: nobody */
bool live[RUNS];      /* the lease has not expired */
byte record[RUNS];    /* the stopping record: the token of the handler that must end; 0: none */
byte queued_no[RUNS]; /* number of the activity's completion in the run's message queue; 0: none is there */

bool carried_out[5];  /* requests that are remembered: 1, 2 cancel; 3 delete; 4 start */

byte claims;          /* tokens drawn so far */
byte locks;

/* ---- What only the properties look at ---- */

bool canceled[RUNS];       /* the activity was canceled */
bool deleted[RUNS];
byte entered[RUNS];        /* completions that entered the queue, or history directly */
byte in_history[RUNS];
byte newest[RUNS];         /* token of the newest claim of the row */
bool passed[RUNS];         /* the time of that claim's lease has passed */

mtype = { nobody, running, told_canceled, told_lost };
mtype handler[2] = nobody; /* a worker's handler: none, or what it was told */
byte held_run[2];          /* which claim the worker holds */
byte held_token[2];
bool owed[2];              /* this handler was canceled under its lease and must be on record until it ends */

/* ---- Parts of steps ---- */

inline clear_row(r) {
    row[r] = false;
    token[r] = 0;
    live[r] = false;
    newest[r] = 0;
    passed[r] = false
}

#define leases(i, r) (handler[i] != nobody && held_run[i] == r && held_token[i] == token[r])

/* Cancellation is the deletion of the row; a leased one leaves a stopping record. */
inline cancel_activity(r) {
    if
    :: row[r] ->
        canceled[r] = true;
        owed[0] = (owed[0] || leases(0, r));
        owed[1] = (owed[1] || leases(1, r));
#if defined(BREAK_EXPIRED_LEASE_LEAVES_NO_RECORD)
        record[r] = (live[r] -> token[r] : 0);
#elif !defined(BREAK_CANCEL_LEAVES_NO_RECORD)
        record[r] = token[r];  /* expired or not: the handler may still be running, and may still complete */
#endif
#ifndef BREAK_CANCEL_KEEPS_ROW
        clear_row(r)
#endif
    :: else
    fi
}

inline end_run(r) {
    ended[r] = true;
    cancel_activity(r);
    queued_no[r] = 0
}

/* The completion of the activity of `r` becomes visible to that run. */
inline completion_enters(r) {
    assert(exists[r]);        /* nothing is sent to a run that was deleted */
    assert(entered[r] == 0);  /* at most one completion of the command */
    assert(!canceled[r]);     /* none of a canceled activity */
    entered[r]++
}

/* ---- Starting and removing ---- */

inline start_run(r) {
    assert(named == 0);
    named = r;
    exists[r] = true;
    position[r] = 1;  /* started together with its first turn, which scheduled the activity */
    row[r] = true
}

/* Start under run key `r`. */
inline commit_start(r, request) {
    if
    :: carried_out[request] || named != 0  /* already applied, or the id is in use */
    :: else -> start_run(r); carried_out[request] = true
    fi
}

/* Force-deletion by name: the run and everything that carries its key. */
inline commit_delete(request) {
    if
#ifndef BREAK_DELETE_FORGOTTEN
    :: carried_out[request]
#endif
    :: named == 0
    :: else ->
        assert(!carried_out[request]);  /* what deleted the old run does not delete the new one */
        carried_out[request] = true;
        deleted[named] = true;
        exists[named] = false;
#ifndef BREAK_DELETE_LEAVES_LOCK
        lock[named] = 0;
        lock_live[named] = false;
#endif
#ifndef BREAK_DELETE_LEAVES_ROW
        clear_row(named);
#endif
        record[named] = 0;
        queued_no[named] = 0;
        owed[0] = (owed[0] && held_run[0] != named);
        owed[1] = (owed[1] && held_run[1] != named);
        /* nobody looks at these any more */
        ended[named] = false;
        sequence[named] = 0;
        cancel_no[named] = 0;
        canceled[named] = false;
        entered[named] = 0;
        in_history[named] = 0;
#ifndef BREAK_DELETE_LEAVES_LOCK
        position[named] = 0;
#endif
        named = 0
    fi
}

/* Cancel by name. Idempotent; the first record stays. `drawn` is for one negative control. */
inline commit_cancel(request, drawn) {
    if
#ifndef BREAK_CANCEL_FORGOTTEN
    :: carried_out[request]
#endif
    :: named == 0
    :: else ->
        if
#ifdef BREAK_SECOND_CANCEL_OVERWRITES
        :: !ended[named] ->
#else
        :: !ended[named] && cancel_no[named] == 0 ->
#endif
            assert(!carried_out[request]);  /* a cancel of the old run does not hit the new one */
            assert(cancel_no[named] == 0);  /* the record is written once */
#ifdef BREAK_NUMBER_DRAWN_BEFORE_COMMIT
            cancel_no[named] = drawn;
#else
            sequence[named]++;
            cancel_no[named] = sequence[named];
#endif
            cancel_activity(named);
            assert(queued_no[named] < cancel_no[named]);  /* a completion that came first has the lower number */
#ifdef BREAK_CANCEL_CLEARS_QUEUE
            queued_no[named] = 0;
#endif
        :: else
        fi;
        carried_out[request] = true
    fi
}

/* ---- The worker queue ---- */

#ifdef BREAK_CLAIM_IGNORES_LEASE
#define claimable(r) row[r]
#else
#define claimable(r) (row[r] && (token[r] == 0 || !live[r]))
#endif

/* Claim, begin and attempt + 1 are one write. */
inline claim_activity(r, t) {
    assert(cancel_no[r] == 0 && !canceled[r] && !deleted[r]);  /* canceled before the claim: no handler begins */
    assert(token[r] == 0 || passed[r]);                        /* nobody is robbed of an unexpired lease */
    claims++;
    t = claims;
    token[r] = t;
    live[r] = true;
    newest[r] = t;
    passed[r] = false
}

#ifdef BREAK_TOKEN_IGNORED
#define holds(r, t) (row[r])
#else
#define holds(r, t) (row[r] && token[r] == (t))
#endif

inline refusal(r, t, answer) {
    if
    :: record[r] == t -> answer = refused_canceled
    :: else -> answer = refused_lost
    fi
}

/* AckActivity with a completion: the row is deleted and the message sent, or neither. */
inline commit_completion(r, t, answer) {
    if
#ifdef BREAK_ACK_SKIPS_ROW_CHECK
    :: exists[r] ->
#else
    :: holds(r, t) ->
#endif
        completion_enters(r);
        assert(t == newest[r]);  /* a token that was taken over completes nothing */
        assert(cancel_no[r] == 0);
        clear_row(r);
        sequence[r]++;
        queued_no[r] = sequence[r];
        answer = applied
    :: else -> refusal(r, t, answer)  /* a stopping record stays until ack(none) */
    fi
}

/* AckActivity and the Turn it causes as one transition: the guards of both, then the effects of both. */
inline commit_completion_in_line(r, t, answer) {
    if
    :: !holds(r, t) -> refusal(r, t, answer)
    :: holds(r, t) && (!exists[r] || ended[r] || cancel_no[r] != 0 || queued_no[r] != 0 || lock_live[r]) ->
#ifdef BREAK_REFUSED_LEAVES_EFFECTS
        clear_row(r);
#endif
        answer = refused_turn
    :: else ->
        completion_enters(r);
        assert(t == newest[r]);
        clear_row(r);
        in_history[r]++;
        position[r]++;
        answer = applied
    fi
}

/* AckActivity without a completion: the handler of canceled work has really ended. (Of a row that is still held it
 * deletes the row and sends nothing, which is right only as a part of the fused form above.) */
inline commit_ack_none(r, t, answer) {
    if
    :: holds(r, t) -> clear_row(r); answer = applied
    :: else ->
        refusal(r, t, answer);
        if
        :: answer == refused_canceled -> record[r] = 0; answer = applied
        :: else
        fi
    fi
}

/* Only renewing asks the clock. */
inline commit_renewal(r, t, answer) {
    if
#ifdef BREAK_RENEW_IGNORES_EXPIRY
    :: holds(r, t) ->
#else
    :: holds(r, t) && live[r] ->
#endif
        assert(t == newest[r] && !passed[r]);  /* nor does a token that expired or was taken over renew */
        live[r] = true;
        answer = applied
    :: else -> refusal(r, t, answer)
    fi;
#ifdef BREAK_RENEW_HIDES_REFUSAL
    answer = applied
#endif
}

/* ---- Turns ---- */

inline claim_run(r, t) {
    locks++;
    t = locks;
    lock[r] = t;
    lock_live[r] = true
}

/* A turn of run `r` under lock `t` (0: in line, without a lock), taken at position `at`. It consumes the completion it
 * saw, drops the activity (the loser of a select) or ends the run. `target` is where it lands. */
inline commit_turn(r, t, at, cancel_seen, consumes, drops, ends, answer, target) {
#ifdef BREAK_RUN_KEY_IGNORED
    target = named;  /* found by its id, as if there were no run key */
#else
    target = r;
#endif
    if
#ifndef BREAK_DELETE_LEAVES_LOCK
    :: !exists[target] -> answer = refused_lost
#endif
    :: ended[target] -> answer = refused_lost
    :: t != 0 && lock[target] != t -> answer = refused_lost
    :: t == 0 && (lock_live[target] || queued_no[target] != 0) -> answer = refused_lost
#ifndef BREAK_TURN_IGNORES_CANCEL
    :: cancel_no[target] != 0 && !cancel_seen -> answer = refused_turn
#endif
#ifndef BREAK_POSITION_IGNORED
    :: position[target] != at -> answer = refused_turn
#endif
    :: else ->
        assert(target == r);     /* nothing of an old run key reaches the re-created run */
        assert(exists[target]);  /* and nothing brings a deleted run back */
        assert(cancel_no[target] == 0 || cancel_seen);
        assert(position[target] == at);
        position[target]++;
        if
        :: consumes ->
            assert(queued_no[target] != 0);  /* a completion that was sent is there */
            assert(cancel_no[target] == 0 || queued_no[target] < cancel_no[target]);
            queued_no[target] = 0;
            in_history[target]++;
            assert(in_history[target] == 1)
        :: else
        fi;
        if
        :: drops -> cancel_activity(target)
        :: else
        fi;
        if
        :: ends -> end_run(target)
        :: else
        fi;
        lock[target] = 0;
        lock_live[target] = false;
        answer = applied
    fi
}
