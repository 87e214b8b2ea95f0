// The frame of a coroutine: how to resume and destroy it.
#pragma once

#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <new>

namespace belay::detail {

/// g++ before 13 may put a field in front of the two functions that a frame begins with: the value
/// of a condition that awaits, in a coroutine that declares no variable. A handle made from the
/// promise then points at the functions, and the functions expect the start of the frame. So this
/// keeps both. The start is the block that the promise's operator new allocated last, if the
/// functions are in it. Another compiler may put a frame elsewhere.
///
/// It is the same for all compilers, because a program and the library may have different ones.
class Frame {
public:
    explicit Frame(std::coroutine_handle<> handle) noexcept
        : functions_(handle.address()), start_(handle.address()) {}
    /// Called in the constructor of a promise that derives from FrameOwner.
    static Frame of_promise(std::coroutine_handle<> handle) noexcept {
        Frame frame(handle);
        const auto at = reinterpret_cast<std::uintptr_t>(handle.address());
        const auto begin = reinterpret_cast<std::uintptr_t>(last_block);
        if (begin <= at && at - begin < last_size) frame.start_ = last_block;
        return frame;
    }

    void resume() const { call(0); }
    void destroy() const { call(1); }

private:
    friend class FrameOwner;
    using Function = void (*)(void*);

    void call(std::size_t which) const { static_cast<const Function*>(functions_)[which](start_); }

    static inline constinit thread_local void* last_block = nullptr;
    static inline constinit thread_local std::size_t last_size = 0;

    const void* functions_;
    void* start_;
};

/// The base of a promise, which allocates its frame.
class FrameOwner {
public:
    static void* operator new(std::size_t size) {
        Frame::last_size = size;
        return Frame::last_block = ::operator new(size);
    }
    static void operator delete(void* frame, std::size_t size) noexcept {
        ::operator delete(frame, size);
    }

protected:
    FrameOwner() = default;
    ~FrameOwner() = default;
};

}  // namespace belay::detail
