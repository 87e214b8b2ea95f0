#include "cli/commands/all.hpp"
#include "cli/context.hpp"
#include "cli/doctor_checks.hpp"
#include "cli/text.hpp"

#include <algorithm>

namespace belay::cli {

namespace {

/// The longest wait for a program that writes to the file.
constexpr Millis kPatience{3'000};

Colour colour_of_health(Health health) {
    switch (health) {
        case Health::well: return Colour::green;
        case Health::warning: return Colour::yellow;
        case Health::fault: return Colour::red;
        case Health::unknown: break;
    }
    return Colour::dim;
}

void print_check(Context& context, const Check& check) {
    if (context.json()) {
        JsonWriter line;
        line.open_object()
            .field("check", check.name)
            .field("result", to_string(check.health))
            .field("says", check.says)
            .field("advice", check.advice)
            .close_object();
        context.print(line);
        return;
    }
    const std::string result(to_string(check.health));
    context.print_line(context.terminal().paint(colour_of_health(check.health), result) +
                       std::string(9 - result.size(), ' ') + check.name +
                       std::string(18 - check.name.size(), ' ') + check.says);
    if (!check.advice.empty()) context.print_line(std::string(27, ' ') + "-> " + check.advice);
}

Exit run_doctor(Context& context, const Arguments& arguments) {
    const StoreUrl url = context.url();
    const Timestamp now = context.now();
    const std::vector<Check> checks = checks_of(sqlite::examine(url.path, now, kPatience), now);
    for (const Check& check : checks) print_check(context, check);
    const bool strict = arguments.has("strict");
    const bool sick = std::ranges::any_of(checks, [&](const Check& check) {
        return check.health == Health::fault || (strict && check.health == Health::warning);
    });
    return sick ? Exit::failed : Exit::ok;
}

}  // namespace

Command doctor_command() {
    return {
        .name = "doctor",
        .summary = "Look for what is wrong with a store",
        .details =
            "Only reads, and needs no worker. Exits with 1 if there is a fault. With --json "
            "prints one line for each check.",
        .options = {{.name = "strict", .help = "count warnings as faults"}},
        .examples = {{"belay doctor --store sqlite:orders.db", ""},
                     {"belay doctor --json | jq -r 'select(.result != \"ok\").check'", ""}},
        .run = run_doctor,
    };
}

}  // namespace belay::cli
