#include "store/names.hpp"

#include <belay/ids.hpp>
#include <belay/limits.hpp>

namespace belay {

Result<void> check_names(const NewInstance& instance) {
    const std::size_t most = Limits().name_bytes;
    if (auto valid = check_name("the instance id", instance.name.id, most); !valid) return valid;
    if (auto valid = check_name("the namespace", instance.name.space, most); !valid) return valid;
    if (auto valid = check_name("the definition", instance.definition, most); !valid) return valid;
    // Without one, the run takes the version that is registered at its first turn.
    if (instance.version.empty()) return {};
    return check_name("the version", instance.version, most);
}

}  // namespace belay
