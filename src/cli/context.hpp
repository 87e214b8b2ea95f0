// The things that a command works with.
#pragma once

#include "cli/exit_code.hpp"
#include "cli/json.hpp"
#include "cli/settings.hpp"
#include "cli/store_url.hpp"
#include "cli/terminal.hpp"
#include <belay/client.hpp>
#include <belay/service.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace belay::cli {

/// Says if a file that is not there is created.
enum class Opening : std::uint8_t { existing, create };

/// Opens a store. Throws a Problem.
using OpenStore = std::function<std::shared_ptr<Store>(const StoreUrl&, Opening)>;

/// Opens the file; never makes one unless told to. A file that this user may not write to is opened
/// for reading only.
[[nodiscard]] std::shared_ptr<Store> open_file(const StoreUrl& url, Opening opening);

class Context {
public:
    Context(Terminal& terminal,
            Environment environment,
            OpenStore open,
            const Arguments& arguments);

    [[nodiscard]] Terminal& terminal() noexcept { return terminal_; }
    [[nodiscard]] const Environment& environment() const noexcept { return environment_; }
    [[nodiscard]] bool json() const noexcept { return json_; }
    [[nodiscard]] Timestamp now() { return terminal_.clock.wall(); }
    /// Returns the URL of the store, which need not exist: the one that is named, else one of the
    /// folder `.belay` here. With several there, it is the one whose flow has the run or the name
    /// in the command. Throws a Problem.
    [[nodiscard]] StoreUrl url();
    /// True if a store is named, by an option, the environment or a file.
    [[nodiscard]] bool has_store() const noexcept { return !settings_.store.empty(); }
    /// Returns who named it: "--store".
    [[nodiscard]] const std::string& store_source() const noexcept { return settings_.store_from; }
    /// Names the store of this command. Called before the first use.
    void use_store(std::string url, std::string from);
    /// Opened when it is first asked for, with the keys that are named. Payloads that cannot be
    /// read with them are shown as such.
    [[nodiscard]] Store& store(Opening opening = Opening::existing);
    /// Answers requests on it.
    [[nodiscard]] Service& service(Opening opening = Opening::existing);
    /// Its typed face.
    [[nodiscard]] Client& client(Opening opening = Opening::existing);

    /// Returns the store's time, by which it judges ages.
    [[nodiscard]] Timestamp store_now();

    [[nodiscard]] const std::string& space() const noexcept { return settings_.space; }
    [[nodiscard]] InstanceName name(const std::string& id) const { return {settings_.space, id}; }
    /// Returns the name of the person at the terminal: the default of `--by`.
    [[nodiscard]] std::string user() const;

    void print(const std::string& text) { terminal_.out << text; }
    void print_line(const std::string& text) { terminal_.out << text << "\n"; }
    void print(const JsonWriter& document) { terminal_.out << document.str() << "\n"; }

    /// Asks before something that cannot be undone. Returns if the answer is yes; `--yes` is one.
    /// Throws a Problem if it is no, or if there is nobody to ask.
    void confirm(const Arguments& arguments, const std::string& question);

private:
    void find_store_here();

    Terminal& terminal_;
    Environment environment_;
    OpenStore open_;
    Settings settings_;
    std::vector<std::string> words_;  ///< The operands of the command.
    bool json_;
    std::shared_ptr<Store> file_;
    std::unique_ptr<Store> store_;
    std::unique_ptr<Service> service_;
    std::optional<Client> client_;
};

/// For commands that ask before they act.
[[nodiscard]] Option yes_option();

/// The value of an option that is a duration, a time or a number. Throws a Problem.
[[nodiscard]] std::optional<Millis> duration_option(const Arguments& arguments, const char* option);
[[nodiscard]] std::optional<Timestamp> time_option(const Arguments& arguments, const char* option);
[[nodiscard]] std::optional<std::uint32_t> number_option(const Arguments& arguments,
                                                         const char* option);
/// A number within a time: "100/1s".
[[nodiscard]] std::optional<StartRate> rate_option(const Arguments& arguments, const char* option);

}  // namespace belay::cli
