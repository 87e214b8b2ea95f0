// The base of the whole trial: sessions with every statement prepared, and checks that are
// counted.
#pragma once

#include "pg.hpp"
#include "turns.hpp"

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace trial {

/// Where the SQL is, and how the server is reached: the arguments of the program.
struct Settings {
    std::filesystem::path sql_directory;
    std::string address;
};
[[nodiscard]] Settings& settings();
[[nodiscard]] std::string contents_of(const std::filesystem::path& file);

/// Prints what was checked and counts it.
void check(bool good, const std::string& what);
struct Counts {
    int passed = 0;
    int failed = 0;
};
[[nodiscard]] Counts& counts();

/// A session with every statement prepared.
class Session : public Connection {
public:
    Session();

    [[nodiscard]] Number number(const std::string& sql);
    /// Milliseconds that this program and the server's end of the session have computed. Other
    /// programs on the machine do not change it.
    [[nodiscard]] double processor_time();

private:
    std::filesystem::path server_times_;
};

/// A batch in one or two round trips.
struct Batch {
    struct Decision {
        std::vector<int> verdicts;
        std::vector<Step> second;  ///< For a second round trip; none: the batch is over.
    };
    std::vector<Step> first;
    std::function<Decision(const std::vector<Rows>&)> decide;  ///< From the results of `first`.
};

/// The forms in which turns become a batch.
using Form = std::function<Batch(const std::vector<Turn>&)>;
/// All that is decided is decided by the statements.
[[nodiscard]] Batch in_one(const std::vector<Step>& steps);

[[nodiscard]] std::string text(Number value);
[[nodiscard]] std::string array_of(const std::vector<Number>& values);
[[nodiscard]] std::string same(Number value, std::size_t count);
[[nodiscard]] std::string commit_id(Number a, Number b);

/// The verdicts among the results of `steps`, in order.
[[nodiscard]] std::vector<int> verdicts_in(const std::vector<Step>& steps,
                                           const std::vector<Rows>& results);
std::vector<int> commit(Session& session, const std::vector<Step>& steps);
std::vector<int> commit(Session& session, const Batch& batch);
/// Idle runs with these keys.
void set_up(Session& session, Number first, Number last);

}  // namespace trial
