// Waiting for the first of several, or for all of them.
#pragma once

#include <belay/future.hpp>

#include <cstddef>
#include <optional>
#include <stdexcept>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace belay {

namespace detail {

template <class T>
using NonVoid = std::conditional_t<std::is_void_v<T>, std::monostate, T>;

template <class D>
NonVoid<typename D::Value> take_value(D& durable) {
    if constexpr (std::is_void_v<typename D::Value>) {
        durable.take();
        return {};
    } else {
        return durable.take();
    }
}

/// The common base of waiting for the first and waiting for all.
class Combination : public Completion, public Waiter {
protected:
    Combination() = default;
    ~Combination() = default;

    /// Returns false once it is decided: later branches are not even started.
    [[nodiscard]] bool wants_more() const noexcept { return !ready(); }
    /// Ignores branches from now on: dropping one branch may make another one ready, because a
    /// message goes to the next wait for it.
    void stop_listening() noexcept { listening_ = false; }
    [[nodiscard]] bool listening() const noexcept { return listening_ && !ready(); }

    Completion* decisive_ = nullptr;

private:
    bool listening_ = true;
};

/// Becomes ready with the first of its branches.
class FirstOf : public Combination {
public:
    void on_ready(Completion& completion) override {
        if (!listening()) return;
        decisive_ = &completion;
        set_ready(completion.failed());
    }

protected:
    FirstOf() = default;
    ~FirstOf() = default;

    void started_one() noexcept {}
    void started_all() noexcept {}
};

/// Becomes ready when all its branches are, or with the first that fails. It counts down: no code
/// of the orchestration runs in between.
class AllOf : public Combination {
public:
    void on_ready(Completion& completion) override {
        if (!listening()) return;
        --open_;
        if (completion.failed()) {
            decisive_ = &completion;
            set_ready(true);
        } else if (open_ == 0) {
            set_ready();
        }
    }

protected:
    AllOf() = default;
    ~AllOf() = default;

    void started_one() noexcept { ++open_; }
    void started_all() {
        if (!ready() && --open_ == 0) set_ready();
    }

private:
    std::size_t open_ = 1;  // One for the starting itself.
};

/// Starts branches. `Rule` is FirstOf or AllOf. Branches sit in optionals, so that they can be let
/// go one by one and in order: the commands of a run must not depend on the order in which a
/// library destroys elements.
template <class Rule>
class Branches : public Rule {
protected:
    Branches() = default;
    /// A branch that was moved from is used up.
    Branches(Branches&& other) noexcept : Rule(), begun_(std::exchange(other.begun_, true)) {}
    ~Branches() = default;

    void begin() {
        if (std::exchange(begun_, true)) {
            throw std::logic_error(
                "belay: this select or join is used up: it was awaited already, or moved");
        }
    }
    /// Returns false if it is decided already.
    template <class D>
    bool start_one(std::optional<D>& branch, Scope& scope) {
        if (!this->wants_more()) return false;
        branch->start(scope);
        ++started_;
        this->started_one();
        Completion& completion = branch->completion();
        completion.ready() ? this->on_ready(completion) : completion.wait(*this);
        return true;
    }

    std::size_t started_ = 0;

private:
    bool begun_ = false;
};

/// Branches of one kind.
template <class Rule, class D>
class Many : public Branches<Rule> {
protected:
    explicit Many(std::vector<D> branches) {
        branches_.reserve(branches.size());
        for (D& branch : branches) branches_.emplace_back(std::move(branch));
    }
    Many(Many&& other) noexcept = default;
    ~Many() { let_go(); }

    void start_all(Scope& scope) {
        this->begin();
        for (std::optional<Owner<D>>& branch : branches_) {
            if (!this->start_one(branch, scope)) return;
        }
        this->started_all();
    }
    [[nodiscard]] std::size_t decisive_index() {
        std::size_t index = 0;
        while (&branches_[index]->completion() != this->decisive_) ++index;
        return index;
    }
    void let_go() noexcept {
        this->stop_listening();
        for (std::optional<Owner<D>>& branch : branches_) branch.reset();
    }

    std::vector<std::optional<Owner<D>>> branches_;
};

/// The same for branches of different kinds.
template <class Rule, class... Ds>
class Several : public Branches<Rule> {
protected:
    explicit Several(Ds... branches)
        : branches_(std::optional<Owner<Ds>>(std::in_place, std::move(branches))...) {}
    Several(Several&& other) noexcept = default;
    ~Several() { let_go(); }

    void start_all(Scope& scope) {
        this->begin();
        const bool complete = std::apply(
            [&](auto&... branch) { return (this->start_one(branch, scope) && ...); }, branches_);
        if (complete) this->started_all();
    }
    void let_go() noexcept {
        this->stop_listening();
        std::apply([](auto&... branch) { (branch.reset(), ...); }, branches_);
    }

    std::tuple<std::optional<Owner<Ds>>...> branches_;
};

/// Runs `Action` when its scope ends, also by an exception.
template <class Action>
class AtEnd {
public:
    explicit AtEnd(Action action) noexcept : action_(action) {}
    AtEnd(const AtEnd&) = delete;
    AtEnd& operator=(const AtEnd&) = delete;
    ~AtEnd() { action_(); }

private:
    Action action_;
};

}  // namespace detail

/// The first of several: a `std::variant` whose index says which one (`void` is `std::monostate`).
/// The others are canceled, unless they were passed by reference. Made by `ctx.select`.
template <class... Ds>
class [[nodiscard("belay: this does nothing until it is awaited: write co_await")]] Select final
    : private detail::Several<detail::FirstOf, Ds...>,
      public detail::Bounded<Select<Ds...>> {
    using Base = detail::Several<detail::FirstOf, Ds...>;

public:
    using Value = std::variant<detail::NonVoid<typename Ds::Value>...>;

    /// Made by `ctx.select`.
    explicit Select(Ds... branches) : Base(std::move(branches)...) {}
    Select(Select&&) noexcept = default;
    ~Select() = default;

    // The protocol of detail::Durable.
    void start(detail::Scope& scope) { this->start_all(scope); }
    [[nodiscard]] detail::Completion& completion() noexcept { return *this; }
    Value take() {
        const detail::AtEnd at_end([this]() noexcept { this->let_go(); });
        return take_from(std::index_sequence_for<Ds...>{});
    }

private:
    template <std::size_t... I>
    Value take_from(std::index_sequence<I...>) {
        std::optional<Value> value;
        (take_if_decisive<I>(value), ...);
        return std::move(*value);
    }
    template <std::size_t I>
    void take_if_decisive(std::optional<Value>& value) {
        if (value || I >= this->started_) return;
        auto& branch = *std::get<I>(this->branches_);
        if (&branch.completion() != this->decisive_) return;
        value.emplace(std::in_place_index<I>, detail::take_value(branch));
    }
};

/// All of several, as a `std::tuple`. The first failure is thrown at once, and the rest is
/// canceled. Made by `ctx.join`.
template <class... Ds>
class [[nodiscard("belay: this does nothing until it is awaited: write co_await")]] Join final
    : private detail::Several<detail::AllOf, Ds...>,
      public detail::Bounded<Join<Ds...>> {
    using Base = detail::Several<detail::AllOf, Ds...>;

public:
    using Value = std::tuple<detail::NonVoid<typename Ds::Value>...>;

    /// Made by `ctx.join`.
    explicit Join(Ds... branches) : Base(std::move(branches)...) {}
    Join(Join&&) noexcept = default;
    ~Join() = default;

    // The protocol of detail::Durable.
    void start(detail::Scope& scope) { this->start_all(scope); }
    [[nodiscard]] detail::Completion& completion() noexcept { return *this; }
    Value take() {
        const detail::AtEnd at_end([this]() noexcept { this->let_go(); });
        if (this->decisive_ != nullptr) throw_failure(std::index_sequence_for<Ds...>{});
        // Braces: taken from left to right.
        return std::apply([](auto&... branch) { return Value{detail::take_value(*branch)...}; },
                          this->branches_);
    }

private:
    template <std::size_t... I>
    void throw_failure(std::index_sequence<I...>) {
        (throw_if_decisive<I>(), ...);
    }
    template <std::size_t I>
    void throw_if_decisive() {
        if (I >= this->started_) return;
        auto& branch = *std::get<I>(this->branches_);
        if (&branch.completion() == this->decisive_) (void)detail::take_value(branch);
    }
};

/// The first of many: its place, and its value.
template <class T>
class Winner {
public:
    /// Made by SelectMany.
    Winner(std::size_t index, detail::NonVoid<T> value) : index_(index), value_(std::move(value)) {}
    /// Its place in the vector that was passed to `select`.
    [[nodiscard]] std::size_t index() const noexcept { return index_; }
    /// The value (`void` is `std::monostate`).
    [[nodiscard]] const detail::NonVoid<T>& value() const& noexcept { return value_; }
    [[nodiscard]] detail::NonVoid<T> value() && { return std::move(value_); }

private:
    std::size_t index_;
    detail::NonVoid<T> value_;
};

/// The first of a vector. Made by `ctx.select`, which refuses an empty one.
template <class D>
class [[nodiscard("belay: this does nothing until it is awaited: write co_await")]] SelectMany final
    : private detail::Many<detail::FirstOf, D>,
      public detail::Bounded<SelectMany<D>> {
    using Base = detail::Many<detail::FirstOf, D>;

public:
    using Value = Winner<typename D::Value>;

    /// Made by `ctx.select`.
    explicit SelectMany(std::vector<D> branches) : Base(std::move(branches)) {}
    SelectMany(SelectMany&&) noexcept = default;
    ~SelectMany() = default;

    // The protocol of detail::Durable.
    void start(detail::Scope& scope) { this->start_all(scope); }
    [[nodiscard]] detail::Completion& completion() noexcept { return *this; }
    Value take() {
        const detail::AtEnd at_end([this]() noexcept { this->let_go(); });
        const std::size_t index = this->decisive_index();
        return Value(index, detail::take_value(*this->branches_[index]));
    }
};

/// All of a vector, in its order. Made by `ctx.join`; an empty one is ready at once.
template <class D>
class [[nodiscard("belay: this does nothing until it is awaited: write co_await")]] JoinMany final
    : private detail::Many<detail::AllOf, D>,
      public detail::Bounded<JoinMany<D>> {
    using Base = detail::Many<detail::AllOf, D>;

public:
    using Value = std::vector<detail::NonVoid<typename D::Value>>;

    /// Made by `ctx.join`.
    explicit JoinMany(std::vector<D> branches) : Base(std::move(branches)) {}
    JoinMany(JoinMany&&) noexcept = default;
    ~JoinMany() = default;

    // The protocol of detail::Durable.
    void start(detail::Scope& scope) { this->start_all(scope); }
    [[nodiscard]] detail::Completion& completion() noexcept { return *this; }
    Value take() {
        const detail::AtEnd at_end([this]() noexcept { this->let_go(); });
        if (this->decisive_ != nullptr) {
            (void)detail::take_value(*this->branches_[this->decisive_index()]);
        }
        Value values;
        values.reserve(this->branches_.size());
        for (std::optional<detail::Owner<D>>& branch : this->branches_) {
            values.push_back(detail::take_value(*branch));
        }
        return values;
    }
};

}  // namespace belay
