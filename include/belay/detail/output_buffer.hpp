// The output of a running activity, on its way to the store.
#pragma once

#include <belay/detail/mutex.hpp>
#include <belay/limits.hpp>
#include <belay/store/parts/output.hpp>
#include <belay/time.hpp>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace belay::detail {

/// Connects the handler, which writes on any of its threads, and the dispatcher, which takes what
/// was written when it can be kept. Never blocks a writer for longer than a copy takes. Bounded: of
/// what waits, the part that the store would drop anyway is dropped here. Any thread.
class OutputBuffer {
public:
    /// Called on the thread that writes: when there is something to take, and again when there is
    /// much of it (`full`). Once each until it is taken. It must not call back.
    using Told = std::function<void(bool full)>;

    OutputBuffer(OutputBounds bounds, std::uint64_t batch_bytes)
        : bounds_(bounds), batch_bytes_(batch_bytes) {}
    OutputBuffer(const OutputBuffer&) = delete;
    OutputBuffer& operator=(const OutputBuffer&) = delete;
    ~OutputBuffer() = default;

    void listen(Clock& clock, Told told);
    /// Sets a function that is called after each call of `told`.
    void then(std::function<void()> after);
    /// Ends listening: neither the clock nor the callbacks are used after this. What is written
    /// later goes nowhere.
    void close();

    void write(OutputStream stream, std::string_view text);
    /// Sets the name under which it is shown.
    void name(std::string source);

    /// Returns what was written and not taken before.
    [[nodiscard]] std::vector<OutputChunk> take();
    /// Returns the name; empty if none was set.
    [[nodiscard]] std::string source();

private:
    void append(OutputStream stream, std::string_view text) BELAY_REQUIRES(mutex_);
    /// Drops what would not be kept.
    void trim() BELAY_REQUIRES(mutex_);
    /// True if the chunk belongs to the beginning, which takes it.
    [[nodiscard]] bool begins(const OutputChunk& chunk,
                              std::uint64_t& first_bytes,
                              bool& closed) const;
    void tell() BELAY_REQUIRES(mutex_);

    const OutputBounds bounds_;
    const std::uint64_t batch_bytes_;
    Mutex mutex_;
    // None: nobody listens.
    Clock* clock_ BELAY_GUARDED_BY(mutex_) BELAY_PT_GUARDED_BY(mutex_) = nullptr;
    Told told_ BELAY_GUARDED_BY(mutex_);
    std::function<void()> after_ BELAY_GUARDED_BY(mutex_);
    bool told_some_ BELAY_GUARDED_BY(mutex_) = false;
    bool told_full_ BELAY_GUARDED_BY(mutex_) = false;
    std::string source_ BELAY_GUARDED_BY(mutex_);
    std::vector<OutputChunk> waiting_ BELAY_GUARDED_BY(mutex_);
    std::uint64_t bytes_ BELAY_GUARDED_BY(mutex_) = 0;        // Of the waiting ones, as counted.
    std::uint64_t first_bytes_ BELAY_GUARDED_BY(mutex_) = 0;  // Taken for the beginning.
    bool closed_ BELAY_GUARDED_BY(mutex_) = false;            // The beginning takes no more.
};

}  // namespace belay::detail
