// A value behind a pointer.
#pragma once

#include <memory>
#include <utility>

namespace belay::detail {

/// A T that takes up the room of a pointer: for the rare member that would make everything beside
/// it as large as itself. Copying copies the value. A moved-from one may only be assigned to or
/// destroyed.
template <class T>
class Boxed {
public:
    Boxed() : value_(std::make_unique<T>()) {}
    Boxed(T value) : value_(std::make_unique<T>(std::move(value))) {}
    Boxed(const Boxed& other) : value_(std::make_unique<T>(*other)) {}
    Boxed(Boxed&&) noexcept = default;
    Boxed& operator=(const Boxed& other) {
        value_ = std::make_unique<T>(*other);
        return *this;
    }
    Boxed& operator=(Boxed&&) noexcept = default;
    ~Boxed() = default;

    [[nodiscard]] T& operator*() noexcept { return *value_; }
    [[nodiscard]] const T& operator*() const noexcept { return *value_; }
    [[nodiscard]] T* operator->() noexcept { return value_.get(); }
    [[nodiscard]] const T* operator->() const noexcept { return value_.get(); }

private:
    std::unique_ptr<T> value_;
};

}  // namespace belay::detail
