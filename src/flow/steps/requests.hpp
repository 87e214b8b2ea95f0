// The inputs of the activities that run the steps of flows: what the interpreter has resolved.
#pragma once

#include "flow/definition/definition.hpp"
#include <belay/codec.hpp>
#include <belay/handle.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace belay::flow {

/// The secrets that marks in the texts of a request stand for (see `secret_mark`).
struct SecretSources {
    std::string nonce;  ///< Empty: the request has no secrets.
    std::vector<Secret> secrets;
};

/// The input of an `exec` or a `script` step.
struct ProgramRequest {
    std::string step;
    std::string run{};  ///< The id of the flow's run; empty: of the run that makes the request.
    std::optional<std::uint64_t> item{};  ///< The number of the map's item.
    std::vector<std::string> program{};   ///< exec: the program and its arguments; or ...
    std::string script{};                 ///< ... the text of a shell script.
    std::vector<std::pair<std::string, std::string>> env{};
    std::string directory{};  ///< Empty: that of the worker.
    std::string input{};      ///< Its standard input.
    OutputForm output = OutputForm::text;
    int stop_signal = kStopSignals[0].second;  ///< Asks it to end.
    std::vector<int> retry_only{};             ///< Other exit statuses are final; empty: none is.
    SecretSources secrets{};
};

/// The input of an `http` step.
struct HttpRequest {
    std::string step;
    std::optional<std::uint64_t> item{};
    std::string method = "GET";
    std::string url{};
    std::vector<std::pair<std::string, std::string>> headers{};
    std::string body{};
    std::vector<int> expect{};  ///< Statuses of success; empty: 200 to 299.
    /// Other statuses are final; empty: all but 408, 425, 429 and those from 500 on.
    std::vector<int> retry_only{};
    bool follow = true;
    SecretSources secrets{};
};

}  // namespace belay::flow

/// JSON.
template <>
struct belay::Codec<belay::flow::ProgramRequest> {
    static Payload encode(const flow::ProgramRequest& value);
    static flow::ProgramRequest decode(const Payload& payload);
};

/// JSON.
template <>
struct belay::Codec<belay::flow::HttpRequest> {
    static Payload encode(const flow::HttpRequest& value);
    static flow::HttpRequest decode(const Payload& payload);
};

namespace belay::flow {

/// Runs a program. The result is JSON: its output in the form that was asked for.
inline constexpr Activity<Payload(ProgramRequest)> kRunProgram{"belay.exec"};
/// Sends a request. The result is JSON: {"status": 200, "headers": {...}, "body": ...}.
inline constexpr Activity<Payload(HttpRequest)> kSendHttp{"belay.http"};

}  // namespace belay::flow
