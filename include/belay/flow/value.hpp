// Values that a flow has when it runs: params, outputs of steps, and what is computed of them.
#pragma once

#include <belay/codec.hpp>
#include <belay/detail/signature.hpp>

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace belay {

template <class T>
struct JsonCodec;

/// True for a type whose Codec stores JSON, so that expressions see its members: one with a
/// JsonCodec (belay/json.hpp). Specialise it for a Codec of your own that stores
/// PayloadCodec::json.
template <class T>
inline constexpr bool kIsJson = std::is_base_of_v<JsonCodec<T>, Codec<T>>;

template <class T>
class FlowValue;

namespace detail {

template <class T>
inline constexpr bool kIsVector = false;
template <class T>
inline constexpr bool kIsVector<std::vector<T>> = true;

/// True for types that can be params, arguments and results in a flow.
template <class T>
consteval bool is_flow_type() {
    if constexpr (std::is_same_v<T, bool> || std::is_same_v<T, std::string> || PlainInteger<T> ||
                  std::is_floating_point_v<T>) {
        return true;
    } else if constexpr (std::is_same_v<T, std::vector<std::byte>>) {
        return false;
    } else if constexpr (kIsVector<T> || kIsOptional<T>) {
        return is_flow_type<typename T::value_type>();
    } else {
        return kIsJson<T>;
    }
}

template <class T>
consteval void check_flow_type() {
    static_assert(is_flow_type<T>(),
                  "belay: this type cannot be a value of a flow: use a number, a bool, a "
                  "std::string, a type with belay::JsonCodec (belay/json.hpp), or a std::vector or "
                  "std::optional of one of these");
}

/// Returns the name of the type in definitions: "list<integer>".
template <class T>
std::string flow_type() {
    if constexpr (std::is_same_v<T, bool>) {
        return "boolean";
    } else if constexpr (std::is_same_v<T, std::string>) {
        return "string";
    } else if constexpr (PlainInteger<T>) {
        return "integer";
    } else if constexpr (std::is_floating_point_v<T>) {
        return "number";
    } else if constexpr (kIsVector<T>) {
        return std::string("list<").append(flow_type<typename T::value_type>()).append(">");
    } else if constexpr (kIsOptional<T>) {
        return std::string("optional<").append(flow_type<typename T::value_type>()).append(">");
    } else {
        return "json";
    }
}

/// An expression, and the steps that it uses.
struct FlowTerm {
    std::string text;                  ///< CEL.
    std::vector<std::string> needs{};  ///< Steps that must have completed.
    std::vector<std::string> after{};  ///< Steps that must have ended.
    const void* flow = nullptr;        ///< The flow that it belongs to; null: a constant.
    std::string constant{};            ///< A constant, as JSON for a definition; empty: it is none.
    bool is_simple = true;             ///< It binds as strongly as a name.
};

/// Joins `left op right`. Throws std::invalid_argument for values of two flows.
[[nodiscard]] FlowTerm joined_terms(const FlowTerm& left, const char* op, const FlowTerm& right);
/// Puts text around a term: `before` + term + `after`.
[[nodiscard]] FlowTerm wrapped_term(const char* before,
                                    const FlowTerm& term,
                                    const std::string& after);
/// Returns a constant as an expression. `type`: that of flow_type. Throws std::invalid_argument for
/// a value that JSON cannot hold.
[[nodiscard]] FlowTerm constant_term(const Payload& value, const std::string& type);

template <class T>
struct FlowValueOf {
    using Type = void;
    static constexpr bool kIs = false;
};
template <class T>
    requires requires { typename T::FlowType; }
struct FlowValueOf<T> {
    using Type = typename T::FlowType;
    static constexpr bool kIs = true;
};
template <class T>
inline constexpr bool kIsFlowValue = FlowValueOf<T>::kIs;

/// True if a value of a flow may be passed where a Parameter is wanted.
template <class From, class Parameter>
consteval bool flow_type_fits() {
    if constexpr (std::is_same_v<From, Parameter>) {
        return true;
    } else if constexpr (kIsOptional<Parameter>) {
        return flow_type_fits<From, typename Parameter::value_type>();
    } else if constexpr (kIsVector<From> && kIsVector<Parameter>) {
        return flow_type_fits<typename From::value_type, typename Parameter::value_type>();
    } else {
        return std::is_floating_point_v<Parameter> &&
               (PlainInteger<From> || std::is_floating_point_v<From>);
    }
}

/// True if the argument fits: a value of a flow, or a constant.
template <class Argument, class Parameter>
consteval bool fits_in_flow() {
    using Plain = std::remove_cvref_t<Argument>;
    if constexpr (kIsFlowValue<Plain>) {
        return flow_type_fits<typename FlowValueOf<Plain>::Type, Parameter>();
    } else {
        return fits<Argument, Parameter>();
    }
}

/// Returns the argument as an expression.
template <class Parameter, class Argument>
FlowTerm flow_argument(const Argument& argument) {
    if constexpr (kIsFlowValue<Argument>) {
        return argument.term();
    } else {
        return constant_term(Codec<Parameter>::encode(as_parameter<Parameter>(argument)),
                             flow_type<Parameter>());
    }
}

template <class Parameter, class Argument>
consteval void check_flow_argument() {
    static_assert(fits_in_flow<Argument, Parameter>(),
                  "belay: an argument does not fit the parameter that the handle declares: pass a "
                  "value of its type, or a param or an output of a step that has this type");
}

}  // namespace detail

/// A value of type T that a run has: a param, the output of a step, or an expression of such. It
/// holds no value, so the program cannot read it: pass it to steps, compare it, or make it the
/// output. A step that gets the output of another one needs that step. Copies are cheap.
template <class T>
class FlowValue {
public:
    /// The type of the value.
    using FlowType = T;

    /// Made by flows and steps.
    explicit FlowValue(detail::FlowTerm term) : term_(std::move(term)) {}

    /// Returns a member of a JSON value: `order.field<int>("cents")`. The step that uses it fails
    /// if there is none.
    template <class Member>
    [[nodiscard]] FlowValue<Member> field(std::string_view name) const {
        static_assert(kIsJson<T>, "belay: only a value with a belay::JsonCodec has members");
        detail::check_flow_type<Member>();
        std::string after(".");
        after.append(name);
        return FlowValue<Member>(detail::wrapped_term("", term_, after));
    }

    /// The expression behind it, for the flow.
    [[nodiscard]] const detail::FlowTerm& term() const noexcept { return term_; }

private:
    detail::FlowTerm term_;
};

/// The output of a step that completes without one.
template <>
class FlowValue<void> {
public:
    /// There is no value.
    using FlowType = void;

    /// Made by steps.
    explicit FlowValue(detail::FlowTerm term) : term_(std::move(term)) {}
    /// The expression behind it, for the flow.
    [[nodiscard]] const detail::FlowTerm& term() const noexcept { return term_; }

private:
    detail::FlowTerm term_;
};

namespace detail {

/// The operands of an operator: at least one is a value of a flow.
template <class Left, class Right>
concept FlowOperands = kIsFlowValue<Left> || kIsFlowValue<Right>;

template <class T>
using PlainFlowType = std::conditional_t<kIsFlowValue<T>, typename FlowValueOf<T>::Type, T>;

/// The type in which two operands are written.
template <class Left, class Right>
using OperandType =
    std::conditional_t<kIsFlowValue<Left>, PlainFlowType<Left>, PlainFlowType<Right>>;

template <class Left, class Right>
consteval void check_operands() {
    using T = OperandType<Left, Right>;
    static_assert(fits_in_flow<const Left&, T>() && fits_in_flow<const Right&, T>(),
                  "belay: the operands of a condition have different types");
}

template <class Left, class Right>
FlowValue<bool> compared(const Left& left, const char* op, const Right& right) {
    check_operands<Left, Right>();
    using T = OperandType<Left, Right>;
    return FlowValue<bool>(joined_terms(flow_argument<T>(left), op, flow_argument<T>(right)));
}

template <class T>
concept FlowCondition = std::is_same_v<PlainFlowType<T>, bool>;

}  // namespace detail

/// Compare values of a flow with one another, or with constants: a condition for `when`.
template <class Left, class Right>
    requires detail::FlowOperands<Left, Right>
FlowValue<bool> operator==(const Left& left, const Right& right) {
    return detail::compared(left, " == ", right);
}
template <class Left, class Right>
    requires detail::FlowOperands<Left, Right>
FlowValue<bool> operator!=(const Left& left, const Right& right) {
    return detail::compared(left, " != ", right);
}
template <class Left, class Right>
    requires detail::FlowOperands<Left, Right>
FlowValue<bool> operator<(const Left& left, const Right& right) {
    return detail::compared(left, " < ", right);
}
template <class Left, class Right>
    requires detail::FlowOperands<Left, Right>
FlowValue<bool> operator<=(const Left& left, const Right& right) {
    return detail::compared(left, " <= ", right);
}
template <class Left, class Right>
    requires detail::FlowOperands<Left, Right>
FlowValue<bool> operator>(const Left& left, const Right& right) {
    return detail::compared(left, " > ", right);
}
template <class Left, class Right>
    requires detail::FlowOperands<Left, Right>
FlowValue<bool> operator>=(const Left& left, const Right& right) {
    return detail::compared(left, " >= ", right);
}

/// Join conditions.
template <detail::FlowCondition Left, detail::FlowCondition Right>
    requires detail::FlowOperands<Left, Right>
FlowValue<bool> operator&&(const Left& left, const Right& right) {
    return detail::compared(left, " && ", right);
}
template <detail::FlowCondition Left, detail::FlowCondition Right>
    requires detail::FlowOperands<Left, Right>
FlowValue<bool> operator||(const Left& left, const Right& right) {
    return detail::compared(left, " || ", right);
}
inline FlowValue<bool> operator!(const FlowValue<bool>& condition) {
    return FlowValue<bool>(detail::wrapped_term("!", condition.term(), {}));
}

/// Adds two numbers, or joins two texts.
template <class Left, class Right>
    requires detail::FlowOperands<Left, Right>
auto operator+(const Left& left, const Right& right) {
    detail::check_operands<Left, Right>();
    using T = detail::OperandType<Left, Right>;
    static_assert(
        std::is_same_v<T, std::string> || detail::PlainInteger<T> || std::is_floating_point_v<T>,
        "belay: only numbers and texts can be added in a flow");
    return FlowValue<T>(detail::joined_terms(
        detail::flow_argument<T>(left), " + ", detail::flow_argument<T>(right)));
}

/// Returns the number of elements.
template <class T>
FlowValue<std::int64_t> size(const FlowValue<std::vector<T>>& list) {
    return FlowValue<std::int64_t>(detail::wrapped_term("", list.term(), ".size()"));
}

}  // namespace belay
