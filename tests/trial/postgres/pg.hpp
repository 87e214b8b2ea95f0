// A thin layer over libpq in pipeline mode, with an honest count of round trips.
#pragma once

#include <libpq-fe.h>

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace trial {

/// The text form of an SQL array, one element after the other.
class Array {
public:
    Array& add(std::int64_t value);
    Array& add(std::optional<std::int64_t> value);
    Array& add(bool value);
    Array& add_text(std::string_view value);
    Array& add_bytes(std::string_view value);
    Array& add_null();
    [[nodiscard]] std::string text() const { return "{" + elements_ + "}"; }

private:
    Array& put(std::string_view element);
    std::string elements_;
};

/// Rows of one result, as text; an empty string for null.
using Rows = std::vector<std::vector<std::string>>;

/// A prepared statement and its parameters.
struct Step {
    std::string statement;
    std::vector<std::string> parameters;
};

class Failed : public std::runtime_error {
public:
    Failed(const std::string& message, std::string state)
        : std::runtime_error(message), state_(std::move(state)) {}
    [[nodiscard]] const std::string& state() const noexcept { return state_; }

private:
    std::string state_;  ///< SQLSTATE.
};

class Connection {
public:
    explicit Connection(const std::string& address);
    ~Connection();
    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;

    /// Plain SQL, for setting up and looking; not parameterised, never with data from outside.
    Rows execute(const std::string& sql);
    void prepare(const std::string& name, const std::string& sql);

    /// Sends all steps and one sync. Outside an explicit transaction they are one: all or nothing.
    void send(const std::vector<Step>& steps);
    /// Waits for the results of what was sent, one per step. Throws Failed if a step failed.
    std::vector<Rows> receive();
    /// Both: one round trip.
    std::vector<Rows> run(const std::vector<Step>& steps);
    /// Returns true if the results have not come after `milliseconds`.
    bool waits(int milliseconds);

    /// From here on every answer of the server that a client must wait for is counted, as seen in
    /// the protocol.
    void start_counting();
    [[nodiscard]] int stop_counting();

private:
    PGconn* connection_;
    std::size_t sent_ = 0;
    std::FILE* trace_ = nullptr;
};

}  // namespace trial
