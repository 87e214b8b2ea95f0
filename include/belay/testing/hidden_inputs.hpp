// Whether hidden inputs are noticed.
#pragma once

namespace belay::testing {

/// Whether the kit notices when code of an orchestration reads a clock, draws a random number or
/// reads the environment in a turn.
///
/// It does so by defining those functions of the C library in the program that it is linked into:
/// clock_gettime, gettimeofday, time, timespec_get, clock, getrandom, getentropy, arc4random (with
/// _buf and _uniform), rand, random, drand48, lrand48, mrand48, getenv, secure_getenv, and what a
/// std::random_device draws from. So it notices calls that go through libraries too, those of
/// `<chrono>` among them; it does not notice a `rdtsc`, a file that is read, `environ`, a function
/// that is given its own state (rand_r, erand48), or an address that is printed. Not in programs
/// that are built with the address or thread sanitizer, which define the same functions, and not in
/// ones that are linked statically.
[[nodiscard]] bool detects_hidden_inputs() noexcept;

}  // namespace belay::testing
