#include "measured.hpp"

#include "steps.hpp"
#include "two_trips.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <map>
#include <utility>

namespace trial {

namespace {

using Clock = std::chrono::steady_clock;

[[nodiscard]] double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values.empty() ? 0 : values[values.size() / 2];
}

struct Figures {
    std::vector<double> milliseconds;
    std::vector<double> processor;  ///< CPU time of the client and of its session's server.
    Number wal = 0;
    int round_trips = 0;
    std::size_t statements = 0;
};

[[nodiscard]] Number wal_position(Session& session) {
    return session.number("select pg_current_wal_insert_lsn() - '0/0'::pg_lsn");
}

void measure(Session& session, Figures& figures, const std::function<void()>& batch) {
    const Number before = wal_position(session);
    const double computed = session.processor_time();
    const auto started = Clock::now();
    batch();
    figures.milliseconds.push_back(
        std::chrono::duration<double, std::milli>(Clock::now() - started).count());
    figures.processor.push_back(session.processor_time() - computed);
    figures.wal += wal_position(session) - before;
}

void print_header(const char* title) {
    std::printf("\n%s\n  %-49s %11s %10s %9s %6s %9s %6s %10s\n",
                title,
                "",
                "round trips",
                "statements",
                "ms/batch",
                "ratio",
                "CPU ms",
                "ratio",
                "WAL B/item");
}

void print(const std::string& name,
           const Figures& figures,
           const Figures& unit,
           std::size_t items) {
    const auto batches = static_cast<Number>(figures.milliseconds.size());
    std::printf("  %-49s %11d %10zu %9.2f %6.2f %9.2f %6.2f %10lld\n",
                name.c_str(),
                figures.round_trips,
                figures.statements,
                median(figures.milliseconds),
                median(figures.milliseconds) / median(unit.milliseconds),
                median(figures.processor),
                median(figures.processor) / median(unit.processor),
                static_cast<long long>(figures.wal / batches / static_cast<Number>(items)));
}

constexpr Number kBatch = 100;

/// Turn `round` of a chain: completes the activity of the round before and schedules the next,
/// handed over.
[[nodiscard]] std::vector<Turn> chain_round(Number first,
                                            Number count,
                                            Number round,
                                            const std::string& queue) {
    std::vector<Turn> turns;
    for (Number run = first; run < first + count; ++run) {
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

/// A way to commit a batch of turns, and what it took.
struct Way {
    std::string name;
    int rounds;
    std::function<std::size_t(const std::vector<Turn>&)> commit;  ///< Says how many statements.
    Figures figures{};
};

/// The whole batch in one form.
[[nodiscard]] Way whole(Session& session, const std::string& name, int rounds, const Form& form) {
    return {name, rounds, [&session, form](const std::vector<Turn>& turns) {
                const Batch batch = form(turns);
                const Batch::Decision decision = batch.decide(session.run(batch.first));
                if (!decision.second.empty()) {
                    session.run(decision.second);
                }
                if (decision.verdicts != std::vector<int>(turns.size(), 1)) {
                    check(false, "a turn of the measurement was refused");
                }
                return batch.first.size() + decision.second.size();
            }};
}

[[nodiscard]] std::vector<Way> set_based(Session& session, int rounds) {
    const auto one = [](std::vector<Step> (*form)(const std::vector<Turn>&)) {
        return [form](const std::vector<Turn>& turns) { return in_one(form(turns)); };
    };
    const auto two = [](const std::vector<Turn>& turns) { return in_two(turns); };
    return {whole(session, "pipeline of set-based statements", rounds, one(as_pipeline)),
            whole(session, "two round trips, decided in the program", rounds, two),
            whole(session, "one statement of CTEs", rounds, one(as_cte)),
            whole(session, "one call of a set-based function", rounds, one(as_function))};
}

[[nodiscard]] std::vector<Way> turn_by_turn(Session& session) {
    const auto in_one_transaction = [&session](const std::vector<Turn>& turns) {
        std::vector<Step> steps;
        for (const Turn& turn : turns) {
            for (const Step& step : as_pipeline({turn})) {
                steps.push_back(step);
            }
        }
        session.run(steps);
        return steps.size();
    };
    const auto in_many = [&session](const std::vector<Turn>& turns) {
        std::size_t statements = 0;
        for (const Turn& turn : turns) {
            const auto steps = as_pipeline({turn});
            session.run(steps);
            statements += steps.size();
        }
        return statements;
    };
    // Every statement waits for its answer, as a client without pipelines or batches does.
    const auto statement_by_statement = [&session](const std::vector<Turn>& turns) {
        std::size_t statements = 0;
        for (const Turn& turn : turns) {
            const auto steps = as_pipeline({turn});
            session.execute("begin");
            for (const Step& step : steps) {
                session.run({step});
            }
            session.execute("commit");
            statements += steps.size() + 2;
        }
        return statements;
    };
    return {{"pipeline, turn by turn, one transaction", 5, in_one_transaction},
            {"one pipeline and transaction per turn", 4, in_many},
            {"statement by statement, transaction per turn", 4, statement_by_statement}};
}

/// Lets the ways take turns, in another order each time. The first round counts round trips and is
/// not measured.
void compare(Session& session, std::vector<Way>& ways, Number first, Number batch) {
    const auto runs_of = [&](std::size_t w) { return first + static_cast<Number>(w) * batch; };
    int rounds = 0;
    for (std::size_t w = 0; w < ways.size(); ++w) {
        set_up(session, runs_of(w), runs_of(w) + batch - 1);
        rounds = std::max(rounds, ways[w].rounds);
    }
    for (int round = 0; round < rounds; ++round) {
        for (std::size_t i = 0; i < ways.size(); ++i) {
            const std::size_t w = (i + static_cast<std::size_t>(round)) % ways.size();
            Way& way = ways[w];
            if (round >= way.rounds) {
                continue;
            }
            const auto turns = chain_round(runs_of(w), batch, round, "chain-" + text(runs_of(w)));
            if (round == 0) {
                session.start_counting();
                way.commit(turns);
                way.figures.round_trips = session.stop_counting();
                continue;
            }
            measure(session, way.figures, [&] { way.figures.statements = way.commit(turns); });
        }
    }
}

}  // namespace

void compare_forms(Session& session, const Comparison& comparison) {
    std::vector<Way> ways = set_based(session, comparison.rounds);
    if (comparison.turn_by_turn) {
        for (Way& way : turn_by_turn(session)) {
            ways.push_back(std::move(way));
        }
    }
    compare(session, ways, comparison.first, comparison.batch);
    print_header(comparison.title);
    for (const Way& way : ways) {
        print(way.name, way.figures, ways[0].figures, static_cast<std::size_t>(comparison.batch));
    }
    check(ways[0].figures.round_trips == 1 && ways[1].figures.round_trips == 2,
          "a pipeline is one round trip; loading, deciding and writing are two");
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
    for (const std::string& name : names) {
        print(name, all[name], all[names[3]], kBatch);
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
