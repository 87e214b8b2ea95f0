// A value that most objects of a kind never have.
#pragma once

#include <memory>
#include <utility>

namespace belay::base {

/// Like std::optional, but the value is stored elsewhere: an empty one has the size of a pointer.
template <class T>
class BoxedOptional {
public:
    BoxedOptional() = default;
    BoxedOptional& operator=(T value) {
        value_ = std::make_unique<T>(std::move(value));
        return *this;
    }

    void reset() noexcept { value_.reset(); }

    [[nodiscard]] bool has_value() const noexcept { return value_ != nullptr; }
    explicit operator bool() const noexcept { return has_value(); }
    /// There must be a value.
    [[nodiscard]] const T& operator*() const noexcept { return *value_; }
    [[nodiscard]] T& operator*() noexcept { return *value_; }
    [[nodiscard]] const T* operator->() const noexcept { return value_.get(); }
    [[nodiscard]] T* operator->() noexcept { return value_.get(); }

    bool operator==(const BoxedOptional& other) const {
        return has_value() && other.has_value() ? **this == *other
                                                : has_value() == other.has_value();
    }

private:
    std::unique_ptr<T> value_;
};

}  // namespace belay::base
