#include "store/names.hpp"

#include "base/utf8.hpp"
#include <belay/ids.hpp>
#include <belay/limits.hpp>

#include <cmath>
#include <variant>

namespace belay {

Result<void> check_names(const NewInstance& instance) {
    const std::size_t most = Limits().name_bytes;
    if (auto valid = check_instance_id("the instance id", instance.name.id, most); !valid)
        return valid;
    if (auto valid = check_name("the namespace", instance.name.space, most); !valid) return valid;
    if (auto valid = check_name("the definition", instance.definition, most); !valid) return valid;
    for (const auto& [name, value] : instance.labels) {
        const auto* real = std::get_if<double>(&value);
        if (real == nullptr || std::isfinite(*real)) continue;
        return Error(Errc::invalid_argument,
                     "label '" + base::printable(name, 64) + "' is not a number, or infinite");
    }
    return check_version(instance.version);
}

Result<void> check_version(const std::string& version) {
    if (version.empty()) return {};
    return check_name("the version", version, Limits().name_bytes);
}

}  // namespace belay
