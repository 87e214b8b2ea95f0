// Retention policies as TOML. A text is refused with a line that a person can find, or its policies
// are valid ones.
#include "fuzz/target.hpp"
#include <belay/ids.hpp>
#include <belay/retention_config.hpp>

using namespace belay;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text(fuzz::text_of(data, size));
    const Result<RetentionPolicies> policies = parse_retention(text);
    if (!policies) {
        const Errc code = policies.error().code();
        fuzz::require(code == Errc::invalid_argument || code == Errc::limit_exceeded,
                      "a person can mend it");
        fuzz::require(policies.error().message().starts_with("line "), "the line is named");
        return 0;
    }
    const Limits limits;
    for (const auto& [space, policy] : *policies) {
        fuzz::require(check_name("the namespace", space, limits.name_bytes).ok(), "a name");
        fuzz::require(check_retention(policy, limits).ok(), "a policy that can be set");
    }
    const Result<RetentionPolicies> again = parse_retention(text + "\n# the end\n");
    fuzz::require(again.ok() && *again == *policies, "a comment changes nothing");
    return 0;
}
