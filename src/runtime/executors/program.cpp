// The end of a program as a result or a failure.
#include <belay/program.hpp>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <stdexcept>

namespace belay {

bool Program::accepts(int status) const noexcept {
    return status == 0 || (any_ && status >= 0) ||
           std::find(accepted_.begin(), accepted_.end(), status) != accepted_.end();
}

Program& Program::stop_signal(int signal) & {
    if (signal < 1 || signal > SIGRTMAX) {
        throw std::invalid_argument("belay: there is no signal " + std::to_string(signal));
    }
    stop_signal_ = signal;
    return *this;
}

Payload Codec<ProgramOutput>::encode(const ProgramOutput& value) {
    return detail::encode_arguments(
        value.status, value.signal, value.output, value.error, value.output_cut, value.error_cut);
}

ProgramOutput Codec<ProgramOutput>::decode(const Payload& payload) {
    auto [status, signal, output, error, output_cut, error_cut] =
        detail::decode_arguments<int, int, std::string, std::string, bool, bool>(payload);
    return ProgramOutput{
        status, signal, std::move(output), std::move(error), output_cut, error_cut};
}

namespace detail {

ProgramOutput take_output(const Program& program, ProgramEnd end) {
    ProgramOutput& output = end.output;
    Failure failure;
    const std::string who = "program '" + program.name() + "'";
    if (!end.problem.empty()) {
        failure.message = who + ": " + end.problem;
        if (end.ours) failure.kind = FailureKind::infrastructure;
    } else if (output.signal != 0 && !program.accepts_signals()) {
        const char* const name = ::sigdescr_np(output.signal);
        failure.message = who + " was ended by signal " + std::to_string(output.signal) +
                          (name != nullptr ? " (" + std::string(name) + ")" : std::string());
    } else if (output.signal == 0 && !program.accepts(output.status)) {
        failure.message = who + " ended with exit status " + std::to_string(output.status);
    } else {
        return std::move(output);
    }
    failure.detail = (output.error_cut ? "..." : "") + output.error;
    throw OperationFailed(std::move(failure));
}

void require_whole(const ProgramOutput& output) {
    if (!output.output_cut) return;
    throw OperationFailed(Failure{
        .kind = FailureKind::limit,
        .message = "the program wrote more than the " + std::to_string(output.output.size()) +
                   " bytes of output that are kept; see belay::Program::output_limit"});
}

}  // namespace detail

}  // namespace belay
