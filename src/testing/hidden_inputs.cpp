// The functions of the C library by which code reads inputs that nobody records. Defined here, they
// are called instead of the C library's by the whole program and by the shared libraries it loads.
// Each notes that it was called, if that was in a turn, and does what it should.
#include "testing/hidden_inputs.hpp"

#include "replay/turn_scope.hpp"

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || \
    __has_feature(memory_sanitizer)
#define BELAY_SANITIZED 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define BELAY_SANITIZED 1
#endif
#if defined(__linux__) && defined(__GLIBC__) && !defined(BELAY_SANITIZED)
#define BELAY_NOTICES 1
#endif

namespace belay::testing {

namespace {

thread_local std::set<HiddenInput> noticed;

struct Advice {
    std::string_view function;
    std::string_view instead;
};

constexpr std::string_view kTime = "use ctx.now()";
constexpr std::string_view kChance = "use ctx.random() or ctx.new_uuid()";
constexpr std::string_view kEnvironment =
    "read it where the run is started and pass it in as an argument, or read it in an activity";

constexpr std::array kAdvice = {
    Advice{"clock_gettime", kTime},
    Advice{"gettimeofday", kTime},
    Advice{"time", kTime},
    Advice{"timespec_get", kTime},
    Advice{"clock", kTime},
    Advice{"getrandom", kChance},
    Advice{"getentropy", kChance},
    Advice{"arc4random", kChance},
    Advice{"arc4random_buf", kChance},
    Advice{"arc4random_uniform", kChance},
    Advice{"rand", kChance},
    Advice{"random", kChance},
    Advice{"drand48", kChance},
    Advice{"lrand48", kChance},
    Advice{"mrand48", kChance},
    Advice{"std::random_device", kChance},
    Advice{"getenv", kEnvironment},
    Advice{"secure_getenv", kEnvironment},
};

}  // namespace

std::set<HiddenInput> take_hidden_inputs() { return std::exchange(noticed, {}); }

std::string describe(const HiddenInput& input) {
    std::string text = input.definition + " called " + input.function + " in a turn";
    for (const Advice& advice : kAdvice) {
        if (advice.function == input.function) text += ": " + std::string(advice.instead);
    }
    return text;
}

#ifndef BELAY_NOTICES

bool detects_hidden_inputs() noexcept { return false; }

}  // namespace belay::testing

#else

bool detects_hidden_inputs() noexcept { return true; }

namespace {

void notice(const char* function) noexcept {
    const replay::Identity* const who = replay::TurnScope::current();
    if (who != nullptr) noticed.insert(HiddenInput{who->definition, function});
}

}  // namespace

}  // namespace belay::testing

#include <dlfcn.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <ctime>

namespace {

using belay::testing::notice;

/// The definition that this program would have without the one here.
template <class Function>
Function* next(const char* name) noexcept {
    return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

int read_clock(clockid_t clock, timespec* at) noexcept {
    return static_cast<int>(syscall(SYS_clock_gettime, clock, at));
}

}  // namespace

#define BELAY_INSTEAD extern "C" __attribute__((visibility("default")))

BELAY_INSTEAD int clock_gettime(clockid_t clock, timespec* at) noexcept {
    notice("clock_gettime");
    return read_clock(clock, at);
}

BELAY_INSTEAD int gettimeofday(timeval* at, void* zone) noexcept {
    notice("gettimeofday");
    return static_cast<int>(syscall(SYS_gettimeofday, at, zone));
}

BELAY_INSTEAD time_t time(time_t* out) noexcept {
    notice("time");
    timespec at{};
    if (read_clock(CLOCK_REALTIME_COARSE, &at) != 0) return -1;
    if (out != nullptr) *out = at.tv_sec;
    return at.tv_sec;
}

BELAY_INSTEAD int timespec_get(timespec* at, int base) noexcept {
    notice("timespec_get");
    static auto* const kOriginal = next<int(timespec*, int)>("timespec_get");
    return kOriginal(at, base);
}

BELAY_INSTEAD clock_t clock() noexcept {
    notice("clock");
    static auto* const kOriginal = next<clock_t()>("clock");
    return kOriginal();
}

BELAY_INSTEAD ssize_t getrandom(void* buffer, size_t size, unsigned int flags) {
    notice("getrandom");
    return syscall(SYS_getrandom, buffer, size, flags);
}

BELAY_INSTEAD int getentropy(void* buffer, size_t size) {
    notice("getentropy");
    static auto* const kOriginal = next<int(void*, size_t)>("getentropy");
    return kOriginal(buffer, size);
}

#if __GLIBC_PREREQ(2, 36)
BELAY_INSTEAD std::uint32_t arc4random() noexcept {
    notice("arc4random");
    static auto* const kOriginal = next<std::uint32_t()>("arc4random");
    return kOriginal();
}

BELAY_INSTEAD void arc4random_buf(void* buffer, size_t size) noexcept {
    notice("arc4random_buf");
    static auto* const kOriginal = next<void(void*, size_t)>("arc4random_buf");
    kOriginal(buffer, size);
}

BELAY_INSTEAD std::uint32_t arc4random_uniform(std::uint32_t bound) noexcept {
    notice("arc4random_uniform");
    static auto* const kOriginal = next<std::uint32_t(std::uint32_t)>("arc4random_uniform");
    return kOriginal(bound);
}
#endif

BELAY_INSTEAD int rand() noexcept {
    notice("rand");
    static auto* const kOriginal = next<int()>("rand");
    return kOriginal();
}

BELAY_INSTEAD long random() noexcept {
    notice("random");
    static auto* const kOriginal = next<long()>("random");
    return kOriginal();
}

BELAY_INSTEAD double drand48() noexcept {
    notice("drand48");
    static auto* const kOriginal = next<double()>("drand48");
    return kOriginal();
}

BELAY_INSTEAD long lrand48() noexcept {
    notice("lrand48");
    static auto* const kOriginal = next<long()>("lrand48");
    return kOriginal();
}

BELAY_INSTEAD long mrand48() noexcept {
    notice("mrand48");
    static auto* const kOriginal = next<long()>("mrand48");
    return kOriginal();
}

BELAY_INSTEAD char* getenv(const char* name) noexcept {
    notice("getenv");
    static auto* const kOriginal = next<char*(const char*)>("getenv");
    return kOriginal(name);
}

BELAY_INSTEAD char* secure_getenv(const char* name) noexcept {
    notice("secure_getenv");
    static auto* const kOriginal = next<char*(const char*)>("secure_getenv");
    return kOriginal(name);
}

// std::random_device::_M_getval() of libstdc++, which mostly asks the processor.
BELAY_INSTEAD unsigned int belay_random_device(void* device) __asm__(
    "_ZNSt13random_device9_M_getvalEv");
BELAY_INSTEAD unsigned int belay_random_device(void* device) {
    notice("std::random_device");
    static auto* const kOriginal = next<unsigned int(void*)>("_ZNSt13random_device9_M_getvalEv");
    return kOriginal(device);
}

#endif
