// Why a payload cannot be read.
#pragma once

#include <belay/codec.hpp>

#include <string>

namespace belay::codec_tests {

/// Returns the error of T's codec for this payload, or "none".
template <class T>
std::string problem_of(const Payload& payload) {
    try {
        (void)Codec<T>::decode(payload);
    } catch (const DecodeError& problem) {
        return problem.what();
    }
    return "none";
}

}  // namespace belay::codec_tests
