// Expressions, alone and in texts. Whatever can be read is checked and evaluated within its bounds,
// twice with one result.
#include "expr/template.hpp"
#include "expr/value_json.hpp"
#include "fuzz/target.hpp"

#include <vector>

using namespace belay;

namespace {

/// Little enough to evaluate many inputs a second.
constexpr std::uint64_t kWork = 20'000;
constexpr std::uint64_t kMemory = 256 * 1024;

const expr::Map& variables() {
    static const expr::Map kVariables =
        expr::parse_json(R"({"params": {"hosts": ["a", "b"], "keep": 7}, "x": 1.5, "y": null})")
            ->map();
    return kVariables;
}

std::string shown(const std::expected<expr::Value, expr::Problem>& result) {
    if (!result) return to_string(result.error());
    const auto json = expr::to_json(*result);
    return json ? *json : json.error().message();
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text = fuzz::text_of(data, size);
    (void)expr::Template::parse(text);
    const auto program = expr::Program::parse(text);
    if (!program) return 0;
    std::vector<expr::Problem> problems;
    (void)program->check({}, problems);
    const auto result = program->run(variables(), kWork, kMemory);
    fuzz::require(shown(result) == shown(program->run(variables(), kWork, kMemory)),
                  "the same expression gives the same result");
    if (!result) return 0;
    if (const auto json = expr::to_json(*result)) {
        fuzz::require(expr::parse_json(*json).ok(), "a result is written as JSON");
    }
    return 0;
}
