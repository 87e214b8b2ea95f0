// The ready sinks: events as lines on the standard error.
#include "base/utf8.hpp"
#include "runtime/event_log.hpp"
#include <belay/engine_event.hpp>

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace belay {

namespace {

/// A pipe that takes anything takes at least 4096 bytes (PIPE_BUF). With all that stands around it
/// a text of this length fits, unless JSON has to escape most of it.
constexpr std::size_t kMostText = 1'500;

/// Waits until the standard error takes more, for `timeout` milliseconds at most; -1: for ever.
/// False also when nobody reads it any more: to write would end the process (SIGPIPE).
bool is_writable(int timeout) {
    pollfd file{STDERR_FILENO, POLLOUT, 0};
    int ready = 0;
    do {
        ready = ::poll(&file, 1, timeout);
    } while (ready < 0 && errno == EINTR);
    return ready > 0 && (file.revents & (POLLERR | POLLHUP | POLLNVAL)) == 0;
}

/// In one piece, so that lines of several threads do not mix, and not through `stderr`: its lock
/// may be held by a thread that waits for the reader.
void write_line(std::string line) {
    line += '\n';
    for (std::string_view left = line; !left.empty();) {
        const ssize_t count = ::write(STDERR_FILENO, left.data(), left.size());
        if (count > 0) left.remove_prefix(static_cast<std::size_t>(count));
        if (count == 0 || (count < 0 && errno != EINTR)) return;
    }
}

/// Lines of users wait for the reader, on the thread that logs. The engine waits for nobody: an
/// event of its own that cannot be written now is left out. Leases are renewed by the thread that
/// reports it.
template <class ToText>
EngineEventSink on_stderr(LogLevel least, ToText to_text) {
    return [least, to_text](EngineEvent event) {
        if (event.level < least) return;
        const bool of_users = runtime::is_of_users(event.code);
        if (!is_writable(of_users ? -1 : 0)) return;
        if (!of_users) event.what = base::shortened(std::move(event.what), kMostText);
        write_line(to_text(event));
    };
}

}  // namespace

EngineEventSink lines_on_stderr(LogLevel least) { return on_stderr(least, to_line); }
EngineEventSink json_on_stderr(LogLevel least) { return on_stderr(least, to_json); }

}  // namespace belay
