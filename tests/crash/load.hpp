// The load on the workers, and the check of its outcome.
#pragma once

#include "crash/code.hpp"
#include <belay/client.hpp>

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace belay::crash {

/// Starts and cancels runs, remembers what was promised, and holds the store to it.
class Load {
public:
    explicit Load(Store& store);

    /// A few more runs, some of them canceled at once or a little later.
    void add();
    /// Runs that only the second version of the program can do.
    void add_newer();

    /// Runs whose end is not yet known, after looking.
    [[nodiscard]] std::size_t open();
    /// Returns the problems, one line each; empty if all has ended rightly. `effects`: the file
    /// that activities wrote to.
    [[nodiscard]] std::vector<std::string> problems(const std::string& effects);

    [[nodiscard]] std::size_t started() const noexcept { return runs_.size(); }
    [[nodiscard]] std::size_t canceled() const noexcept { return canceled_; }
    /// Known after `problems`.
    [[nodiscard]] std::size_t cleaned_up() const noexcept { return cleaned_up_; }

private:
    struct Promised {
        std::int64_t result = 0;
        Calls calls{};          ///< Made by the time it has completed.
        bool canceled = false;  ///< A cancel was accepted.
        bool ended = false;
    };

    void start(const Definition<std::int64_t(std::int64_t)>& what,
               Calls calls,
               std::int64_t input,
               std::int64_t result);
    void start_endless();
    void cancel(const std::string& id);
    /// The activities that left an effect: by instance and name, those that differ.
    using Effects = std::map<std::pair<std::string, std::string>, std::set<std::string>>;

    [[nodiscard]] static Effects read_effects(const std::string& path,
                                              std::vector<std::string>& found);
    void check(const std::string& id,
               const Promised& promised,
               const Effects& effects,
               std::vector<std::string>& found);

    Store& store_;
    Client client_;
    std::map<std::string, Promised> runs_;
    std::vector<std::string> to_cancel_;
    std::int64_t next_ = 1;
    std::size_t canceled_ = 0;
    std::size_t cleaned_up_ = 0;  ///< Canceled runs whose cleanup left its effect.
};

}  // namespace belay::crash
