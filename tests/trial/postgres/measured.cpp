#include "measured.hpp"

#include "steps.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <map>

namespace trial {

namespace {

using Clock = std::chrono::steady_clock;

struct Figures {
    std::vector<double> milliseconds;
    Number wal = 0;
    int round_trips = 0;
    std::size_t statements = 0;

    [[nodiscard]] double median() const {
        auto sorted = milliseconds;
        std::sort(sorted.begin(), sorted.end());
        return sorted.empty() ? 0 : sorted[sorted.size() / 2];
    }
};

[[nodiscard]] Number wal_position(Session& session) {
    return session.number("select pg_current_wal_insert_lsn() - '0/0'::pg_lsn");
}

void measure(Session& session, Figures& figures, const std::function<void()>& batch) {
    const Number before = wal_position(session);
    const auto started = Clock::now();
    batch();
    figures.milliseconds.push_back(
        std::chrono::duration<double, std::milli>(Clock::now() - started).count());
    figures.wal += wal_position(session) - before;
}

void print_header(const char* title) {
    std::printf("\n%s\n  %-50s %11s %11s %10s %8s %11s\n",
                title,
                "",
                "round trips",
                "statements",
                "ms/batch",
                "ratio",
                "WAL B/item");
}

void print(const std::string& name, const Figures& figures, double unit, std::size_t items) {
    const auto batches = static_cast<Number>(figures.milliseconds.size());
    std::printf("  %-50s %11d %11zu %10.2f %8.2f %11lld\n",
                name.c_str(),
                figures.round_trips,
                figures.statements,
                figures.median(),
                figures.median() / unit,
                static_cast<long long>(figures.wal / batches / static_cast<Number>(items)));
}

constexpr Number kBatch = 100;

/// Turn `round` of a chain: completes the activity of the round before and schedules the next,
/// handed over.
[[nodiscard]] std::vector<Turn> chain_round(Number first, Number round, const std::string& queue) {
    std::vector<Turn> turns;
    for (Number run = first; run < first + kBatch; ++run) {
        Turn turn;
        turn.run = run;
        turn.position = round * kEvents;
        turn.commit = commit_id(100 + round, run);
        if (round > 0) {
            turn.ack = Ack{round, {3, round}};
        }
        turn.activities = {{round + 1, queue, Token{3, round + 1}}};
        turns.push_back(turn);
    }
    return turns;
}

/// Every statement of every turn waits for its answer, as a client without pipelines or batches
/// does.
void statement_by_statement(Session& session, const std::vector<Turn>& turns) {
    for (const Turn& turn : turns) {
        session.execute("begin");
        for (const Step& step : as_pipeline({turn})) {
            session.run({step});
        }
        session.execute("commit");
    }
}

}  // namespace

void compare_forms(Session& session, Number first, const char* title, std::size_t how_many) {
    struct Way {
        std::string name;
        int rounds;
        std::function<std::size_t(const std::vector<Turn>&)> commit;
        Figures figures;
    };
    const auto whole = [&session](const Form& form) {
        return [&session, form](const std::vector<Turn>& turns) {
            const auto steps = form(turns);
            const auto verdicts = commit(session, steps);
            if (verdicts != std::vector<int>(turns.size(), 1)) {
                check(false, "a turn of the measurement was refused");
            }
            return steps.size();
        };
    };
    std::vector<Way> ways{
        {"pipeline of set-based statements", 24, whole(as_pipeline), {}},
        {"one statement of CTEs", 24, whole(as_cte), {}},
        {"one call of a set-based function", 24, whole(as_function), {}},
        {"pipeline, turn by turn, one transaction",
         8,
         [&](const std::vector<Turn>& turns) {
             std::vector<Step> steps;
             for (const Turn& turn : turns) {
                 for (const Step& step : as_pipeline({turn})) {
                     steps.push_back(step);
                 }
             }
             session.run(steps);
             return steps.size();
         },
         {}},
        {"one pipeline and transaction per turn",
         8,
         [&](const std::vector<Turn>& turns) {
             std::size_t statements = 0;
             for (const Turn& turn : turns) {
                 const auto steps = as_pipeline({turn});
                 session.run(steps);
                 statements += steps.size();
             }
             return statements;
         },
         {}},
        {"statement by statement, transaction per turn",
         4,
         [&](const std::vector<Turn>& turns) {
             statement_by_statement(session, turns);
             return turns.size() * (as_pipeline({turns[0]}).size() + 2);
         },
         {}},
    };
    ways.resize(std::min(how_many, ways.size()));
    for (std::size_t w = 0; w < ways.size(); ++w) {
        const Number runs = first + static_cast<Number>(w) * kBatch;
        set_up(session, runs, runs + kBatch - 1);
    }
    for (int round = 0; round < 24; ++round) {
        for (std::size_t w = 0; w < ways.size(); ++w) {
            Way& way = ways[w];
            if (round >= way.rounds) {
                continue;
            }
            const auto turns = chain_round(first + static_cast<Number>(w) * kBatch,
                                           round,
                                           "chain-" + text(first + static_cast<Number>(w)));
            if (round < 1) {  // the first round counts, unmeasured
                session.start_counting();
                way.commit(turns);
                way.figures.round_trips = session.stop_counting();
                continue;
            }
            measure(session, way.figures, [&] { way.figures.statements = way.commit(turns); });
        }
    }
    print_header(title);
    const double unit = ways[0].figures.median();
    for (const Way& way : ways) {
        print(way.name, way.figures, unit, kBatch);
    }
}

void measure_others(Session& session, Number first) {
    std::map<std::string, Figures> all;
    std::vector<std::string> names;
    const auto time = [&](const std::string& name, const std::vector<Step>& steps) {
        Figures& figures = all[name];
        if (figures.round_trips == 0) {
            names.push_back(name);
            std::vector<Rows> results;
            session.start_counting();
            results = session.run(steps);
            figures.round_trips = session.stop_counting();
            figures.statements = steps.size();
            return results;
        }
        std::vector<Rows> results;
        measure(session, figures, [&] { results = session.run(steps); });
        return results;
    };

    session.execute("update belay.instance set ready_at = null where ready_at is not null");
    set_up(session, first, first + kBatch - 1);
    session.run(
        {{"setup_activities", {text(kShard), text(first), text(first + kBatch - 1), "1", "9"}}});
    std::vector<Held> held;
    for (Number run = first; run < first + kBatch; ++run) {
        held.push_back({run, 1, {9, run}});
    }
    std::size_t handled = 0;
    for (Number round = 0; round < 12; ++round) {
        time("renew 100 activities", renew_steps(held));
        time("complete 100 activities (row check, message)", ack_steps(held));
        const auto claimed =
            time("claim 100 runs and their messages", claim_steps(kBatch, 20, round * kBatch));
        std::map<Number, Number> message_of;
        for (const auto& row : claimed[1]) {
            message_of[std::stoll(row[0])] = std::stoll(row[1]);
        }
        std::vector<Turn> turns;
        for (const auto& row : claimed[0]) {
            Turn turn;
            turn.run = std::stoll(row[1]);
            turn.position = std::stoll(row[8]);
            turn.lock = Token{20, std::stoll(row[13])};
            turn.commit = commit_id(300 + round, turn.run);
            turn.consumed = {message_of.at(turn.run)};
            turn.activities = {{round + 2, "cycle", std::nullopt}};
            turns.push_back(turn);
        }
        handled += turns.size();
        time("100 turns under a lock (message in, activity out)", as_pipeline(turns));
        const auto taken = time("claim 100 activities",
                                {{"claim_activities",
                                  {text(kShard),
                                   "cycle",
                                   text(kBatch),
                                   "9",
                                   text(round * kBatch),
                                   text(kLease),
                                   "w"}}});
        held.clear();
        for (const auto& row : taken[0]) {
            held.push_back({std::stoll(row[0]), std::stoll(row[2]), {9, std::stoll(row[6])}});
        }
        std::vector<Start> starts;
        for (Number i = 0; i < kBatch; ++i) {
            const Number run = first + 10'000 + round * kBatch + i;
            starts.push_back({run, "order-" + text(run), "key-" + text(run)});
        }
        time("start 100 runs with key and first turn", start_steps(starts));
        std::vector<Number> doomed;
        for (const Start& start : starts) {
            doomed.push_back(start.run);
        }
        time("cancel 100 runs (activity to stopping)", cancel_steps(doomed));
        session.execute("update belay.instance set ready_at = null where status = 3");
    }
    check(handled == 12 * kBatch, "every run was claimed and took its turn in every cycle");
    print_header("The other hot statements, 100 items each");
    const double unit = all[names[3]].median();
    for (const std::string& name : names) {
        print(name, all[name], unit, kBatch);
        check(all[name].round_trips == 1, name + ": one round trip");
    }
}

void show_plans(Session& session) {
    session.execute("set enable_seqscan = on");
    const Rows claim = session.execute(
        "explain (costs off) select shard, run from belay.instance where shard = 7 and ready_at <= "
        "(select belay.now_ms()) and held is null order by ready_at limit 100 for update skip "
        "locked");
    std::printf("\nPlan of the claim among %lld runs:\n",
                static_cast<long long>(session.number("select count(*) from belay.instance")));
    for (const auto& row : claim) {
        std::printf("  %s\n", row[0].c_str());
    }
}

}  // namespace trial
