// The checks behind handles: parameters, and arguments passed for them. Each message gives the
// remedy.
#pragma once

#include <belay/codec.hpp>

#include <cstddef>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

namespace belay::detail {

template <class T>
struct IsView : std::false_type {};
template <class C, class Traits>
struct IsView<std::basic_string_view<C, Traits>> : std::true_type {};
template <class T, std::size_t N>
struct IsView<std::span<T, N>> : std::true_type {};

/// Views and pointers refer to memory that is gone when a run is replayed or goes on elsewhere.
template <class T>
inline constexpr bool kIsView =
    IsView<std::remove_cvref_t<T>>::value || std::is_pointer_v<std::remove_cvref_t<T>>;

template <class T>
consteval void check_parameter() {
    static_assert(!std::is_reference_v<T>,
                  "belay: a parameter is stored, so it must be a value: write T, not T& or "
                  "const T&");
    static_assert(!kIsView<T>,
                  "belay: a parameter is stored, so it must own its data: write std::string, not "
                  "std::string_view or const char*, and std::vector, not std::span");
    if constexpr (!std::is_reference_v<T> && !kIsView<T>) {
        static_assert(Encodable<T>,
                      "belay: no belay::Codec for this parameter's type: specialise "
                      "belay::Codec<T> with encode and decode");
    }
}

template <class T>
consteval void check_result() {
    if constexpr (!std::is_void_v<T>) {
        static_assert(!std::is_reference_v<T> && !kIsView<T>,
                      "belay: a result is stored, so it must be a value that owns its data: write "
                      "std::string, not std::string_view");
        if constexpr (!std::is_reference_v<T> && !kIsView<T>) {
            static_assert(Encodable<T>,
                          "belay: no belay::Codec for this result's type: specialise "
                          "belay::Codec<T> with encode and decode");
        }
    }
}

template <class T>
inline constexpr bool kIsOptional = false;
template <class T>
inline constexpr bool kIsOptional<std::optional<T>> = true;

/// True for types whose own conversions would convert each element as the language does.
template <class T>
inline constexpr bool kIsTuple = false;
template <class A, class B>
inline constexpr bool kIsTuple<std::pair<A, B>> = true;
template <class... Ts>
inline constexpr bool kIsTuple<std::tuple<Ts...>> = true;

/// Like conversion, without the surprises: no text or character becomes a number, and no pointer a
/// bool.
template <class Argument, class Parameter>
consteval bool fits() {
    using Plain = std::remove_cvref_t<Argument>;
    if constexpr (std::is_same_v<Plain, Parameter>) {
        return true;
    } else if constexpr (kIsOptional<Parameter>) {
        if constexpr (std::is_same_v<Plain, std::nullopt_t>) {
            return true;
        } else {
            return fits<Argument, typename Parameter::value_type>();
        }
    } else if constexpr (kIsTuple<Parameter> || std::is_same_v<Parameter, bool> ||
                         std::is_null_pointer_v<Plain>) {
        return false;
    } else if constexpr (std::is_integral_v<Parameter>) {
        return PlainInteger<Plain>;
    } else if constexpr (std::is_floating_point_v<Parameter>) {
        return PlainInteger<Plain> || std::is_floating_point_v<Plain>;
    } else if constexpr (std::is_same_v<Parameter, std::string>) {
        return std::is_convertible_v<Argument, std::string_view> ||
               std::is_convertible_v<Argument, std::string>;
    } else {
        return std::is_convertible_v<Argument, Parameter>;
    }
}

/// Returns the argument as the parameter's type: itself, or a converted value. A number that does
/// not fit is an error, not another number.
template <class Parameter, class Argument>
decltype(auto) as_parameter(const Argument& argument) {
    if constexpr (std::is_same_v<Parameter, Argument>) {
        return (argument);
    } else if constexpr (kIsOptional<Parameter> && !std::is_same_v<Argument, std::nullopt_t>) {
        return Parameter(std::in_place, as_parameter<typename Parameter::value_type>(argument));
    } else {
        if constexpr (PlainInteger<Parameter> && PlainInteger<Argument>) {
            if (!std::in_range<Parameter>(argument)) {
                throw std::out_of_range("belay: " + std::to_string(argument) +
                                        " does not fit the integer parameter it is passed for");
            }
        }
        return static_cast<Parameter>(argument);
    }
}

/// Encodes a message to a run: any value with a Codec, or text.
template <class T>
Payload encode_message(const T& value) {
    if constexpr (Encodable<T>) {
        return Codec<T>::encode(value);
    } else {
        constexpr bool kIsText =
            std::is_convertible_v<const T&, std::string_view> && !std::is_null_pointer_v<T>;
        static_assert(kIsText,
                      "belay: no belay::Codec for this message's type: specialise "
                      "belay::Codec<T> with encode and decode");
        if constexpr (kIsText) {
            return Codec<std::string>::encode(std::string(std::string_view(value)));
        }
    }
}

#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ < 13
/// g++ before 13 destroys an aggregate temporary twice when it is part of an awaited expression
/// (GCC PR 98401, 99576, 100611). `Argument` is deduced from a forwarding reference.
template <class Argument>
inline constexpr bool kDestroyedTwice =
    !std::is_lvalue_reference_v<Argument> && std::is_class_v<std::remove_cvref_t<Argument>> &&
    std::is_aggregate_v<std::remove_cvref_t<Argument>> &&
    !std::is_trivially_destructible_v<std::remove_cvref_t<Argument>>;
/// The same happens to a lambda with captures. A lambda cannot be told from another object that can
/// be called, so this is every such temporary that has something to destroy.
template <class Function>
inline constexpr bool kClosureDestroyedTwice =
    !std::is_lvalue_reference_v<Function> && std::is_class_v<std::remove_cvref_t<Function>> &&
    !std::is_trivially_destructible_v<std::remove_cvref_t<Function>>;
#else
template <class Argument>
inline constexpr bool kDestroyedTwice = false;
template <class Function>
inline constexpr bool kClosureDestroyedTwice = false;
#endif

/// Checks the arguments of a call against the declared parameters.
template <class... Params>
struct Arguments {
    template <class... Given>
    static consteval void check() {
        static_assert(sizeof...(Given) == sizeof...(Params),
                      "belay: wrong number of arguments: pass one for each parameter that the "
                      "handle declares");
        if constexpr (sizeof...(Given) == sizeof...(Params)) {
            static_assert(
                (fits<Given, Params>() && ...),
                "belay: an argument does not fit the parameter that the handle declares: "
                "pass a value of its type (a number for a number, a bool for a bool, text "
                "for text)");
        }
        static_assert(!(kDestroyedTwice<Given> || ...),
                      "belay: g++ 12 would destroy this aggregate temporary twice inside the "
                      "awaited expression: give it a name in a statement of its own, then pass the "
                      "name, without std::move: arguments are only read");
    }
};

}  // namespace belay::detail
