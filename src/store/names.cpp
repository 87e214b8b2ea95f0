#include "store/names.hpp"

#include <belay/ids.hpp>
#include <belay/limits.hpp>

namespace belay {

Result<void> check_names(const NewInstance& instance) {
    const std::size_t most = Limits().name_bytes;
    if (auto valid = check_name("the instance id", instance.name.id, most); !valid) return valid;
    if (auto valid = check_name("the namespace", instance.name.space, most); !valid) return valid;
    if (auto valid = check_name("the definition", instance.definition, most); !valid) return valid;
    return check_version(instance.version);
}

Result<void> check_version(const std::string& version) {
    if (version.empty()) return {};
    return check_name("the version", version, Limits().name_bytes);
}

}  // namespace belay
