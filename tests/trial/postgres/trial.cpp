// Tries the hot statements of the store contract on a real PostgreSQL server: right under races,
// how many round trips, and how the forms of a batch compare. `run` starts the server;
// docs/internals/design/postgres-trial.md says what was learned.
//
//   trial <directory with the SQL> <connection string>
#include "measured.hpp"
#include "right.hpp"

#include <cstdio>

namespace trial {
namespace {

int run_all() {
    {
        Connection connection(settings().address);
        connection.execute(contents_of(settings().sql_directory / "schema.sql"));
        connection.execute(contents_of(settings().sql_directory / "functions.sql"));
    }
    Session a;
    Session b;
    std::printf("PostgreSQL %s\n\n", a.execute("show server_version")[0][0].c_str());

    std::printf("Refused items in the middle of a batch\n");
    const Tried pipeline = tried("pipeline", as_pipeline);
    const Tried two = tried_in_two();
    try_refusals(a, pipeline, 1000);
    try_refusals(a, tried("cte", as_cte), 3000);
    try_refusals(a, tried("function", as_function), 5000);
    try_refusals(a, two, 7000);
    try_loaded(a, 9000);

    std::printf("\nTwo sessions\n");
    for (const auto& [form, first] : {std::pair(&pipeline, 10'000), std::pair(&two, 20'000)}) {
        race_turn_and_cancel(a, b, *form, first);
        race_fused_turn(a, b, *form, first + 100);
        race_inbox(a, b, *form, first + 200);
    }
    race_between_round_trips(a, b, 16'000);
    race_lost_client(b, 18'000);
    race_cancel_in_one(a, b, 17'000);
    race_completion_and_cancel(a, b, 11'000);
    race_starts(a, b, 12'000);
    race_claim(a, b, 13'000);
    race_renewal(a, b, 14'000);
    try_lock_order(a, b, 15'000);

    // Idle runs around the busy ones, and statistics that have seen full queues.
    a.execute("update belay.instance set ready_at = null");
    set_up(a, 1'000'000, 1'049'999);
    a.run({{"setup_activities", {text(kShard), "1000000", "1004999", "1", "9"}}});
    a.execute("analyze");
    a.execute("delete from belay.activity");
    compare_forms(
        a,
        {"A batch of 100 turns, each completing an activity and scheduling the next (fused)",
         100'000,
         100,
         24,
         true});
    compare_forms(a, {"The same, 10 turns", 120'000, 10, 60});
    compare_forms(a, {"The same, one turn", 140'000, 1, 100});
    measure_others(a, 200'000);

    a.execute("delete from belay.activity");
    a.execute("analyze");
    Session fresh;  // plans are kept with the session that made them
    compare_forms(fresh,
                  {"100 turns when the statistics are of a drained queue", 300'000, 100, 24});
    show_plans(a);

    std::printf(
        "\npostgres-trial: %d passed, %d failed, 0 skipped\n", counts().passed, counts().failed);
    return counts().failed == 0 ? 0 : 1;
}

}  // namespace
}  // namespace trial

int main(int argc, char** argv) {
    if (argc != 3) {
        std::fprintf(stderr, "usage: trial <directory with the SQL> <connection string>\n");
        return 2;
    }
    trial::settings().sql_directory = argv[1];
    trial::settings().address = argv[2];
    try {
        return trial::run_all();
    } catch (const std::exception& error) {
        std::fprintf(stderr, "trial: %s\n", error.what());
        return 1;
    }
}
