// The frame of a coroutine: how to resume and destroy it.
#pragma once

#include <coroutine>
#include <cstddef>
#include <new>

namespace belay::detail {

#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ < 13

/// g++ before 13 may put a field in front of the two functions that a frame begins with: the value
/// of a condition that awaits, in a coroutine that declares no variable. A handle made from the
/// promise then points at the functions, and the functions expect the start of the frame. So this
/// keeps both. The start is the block that the promise's operator new allocated last: the promise
/// is constructed right after that.
class Frame {
public:
    explicit Frame(std::coroutine_handle<> handle) noexcept
        : functions_(handle.address()), start_(handle.address()) {}
    /// Called in the constructor of a promise that derives from FrameOwner.
    static Frame of_promise(std::coroutine_handle<> handle) noexcept {
        Frame frame(handle);
        frame.start_ = allocated_last;
        return frame;
    }

    void resume() const { call(0); }
    void destroy() const { call(1); }

private:
    friend class FrameOwner;
    using Function = void (*)(void*);

    void call(std::size_t which) const { static_cast<const Function*>(functions_)[which](start_); }

    static inline constinit thread_local void* allocated_last = nullptr;

    const void* functions_;
    void* start_;
};

/// The base of a promise, which allocates its frame.
class FrameOwner {
public:
    static void* operator new(std::size_t size) {
        return Frame::allocated_last = ::operator new(size);
    }
    static void operator delete(void* frame, std::size_t size) noexcept {
        ::operator delete(frame, size);
    }

protected:
    FrameOwner() = default;
    ~FrameOwner() = default;
};

#else

class Frame {
public:
    explicit Frame(std::coroutine_handle<> handle) noexcept : handle_(handle) {}
    static Frame of_promise(std::coroutine_handle<> handle) noexcept { return Frame(handle); }

    void resume() const { handle_.resume(); }
    void destroy() const { handle_.destroy(); }

private:
    std::coroutine_handle<> handle_;
};

class FrameOwner {
protected:
    FrameOwner() = default;
    ~FrameOwner() = default;
};

#endif

}  // namespace belay::detail
