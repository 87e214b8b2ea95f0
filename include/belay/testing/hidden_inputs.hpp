// Detection of hidden inputs.
#pragma once

namespace belay::testing {

/// True if the kit notices code of an orchestration that reads a clock, draws a random number or
/// reads the environment in a turn.
///
/// It does so by defining these functions of the C library in the program that it is linked into:
/// clock_gettime, gettimeofday, time, timespec_get, clock, getrandom, getentropy, arc4random (with
/// _buf and _uniform), rand, random, drand48, lrand48, mrand48, getenv, secure_getenv, and the
/// source of a std::random_device. So it notices calls that go through libraries too, those of
/// `<chrono>` among them. It does not notice a `rdtsc`, a file that is read, `environ`, a function
/// that is given its own state (rand_r, erand48), or an address that is printed. Not in programs
/// that are built with the address or thread sanitizer, which define the same functions, and not in
/// statically linked ones.
[[nodiscard]] bool detects_hidden_inputs() noexcept;

}  // namespace belay::testing
