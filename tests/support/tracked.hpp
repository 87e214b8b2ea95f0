// A type that notices when it is destroyed twice, used when dead, or left behind.
#pragma once

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <utility>

namespace belay::support {

/// Knows the address of each of its live objects. A fault fails the running test and does not crash
/// it. So compilers which destroy temporaries twice can be told apart from code that does.
class Tracked {
public:
    explicit Tracked(std::string text = {}) : text_(std::move(text)) { born(); }
    Tracked(const Tracked& other) : text_(other.text()) { born(); }
    Tracked(Tracked&& other) noexcept : text_(std::move(other.alive().text_)) { born(); }
    Tracked& operator=(const Tracked& other) {
        if (this != &other) alive().text_ = other.text();
        return *this;
    }
    Tracked& operator=(Tracked&& other) noexcept {
        if (this != &other) alive().text_ = std::move(other.alive().text_);
        return *this;
    }
    ~Tracked() {
        if (live_objects().erase(this) == 0) ADD_FAILURE() << "destroyed twice, or never made";
    }

    [[nodiscard]] const std::string& text() const {
        check();
        return text_;
    }

    /// The number of live objects.
    [[nodiscard]] static std::size_t live() { return live_objects().size(); }

private:
    static std::set<const Tracked*>& live_objects() {
        static std::set<const Tracked*> objects;
        return objects;
    }
    void born() const {
        if (!live_objects().insert(this).second) ADD_FAILURE() << "made where a live one is";
    }
    void check() const {
        if (!live_objects().contains(this)) ADD_FAILURE() << "used when it is not alive";
    }
    Tracked& alive() {
        check();
        return *this;
    }

    std::string text_;
};

}  // namespace belay::support
