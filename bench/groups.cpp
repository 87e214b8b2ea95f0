#include "groups.hpp"

#include "finished_group.hpp"
#include "flow_group.hpp"
#include "kernel_group.hpp"
#include "management_group.hpp"
#include "schedules_group.hpp"
#include "sqlite_group.hpp"

namespace belay::bench {

Group group_of(std::string_view name) {
    if (name == "engine") return run_sqlite_group;
    if (name == "finished") return run_finished_group;
    if (name == "flow") return run_flow_group;
    if (name == "kernel") return run_kernel_group;
    if (name == "management") return run_management_group;
    if (name == "schedules") return run_schedules_group;
    return nullptr;
}

}  // namespace belay::bench
