// Everything that a program with orchestrations, activities, a worker and a client needs.
//
// A file that needs less compiles faster with the headers of its own: client.hpp for one that only
// starts runs, orchestration.hpp and activity.hpp for one that holds code. Not included: headers
// for operators (finding.hpp, management.hpp, retention.hpp, transfer.hpp), json.hpp, which needs
// nlohmann-json, coded.hpp, and the kit for tests (testing/).
#pragma once

#include <belay/activity.hpp>
#include <belay/client.hpp>
#include <belay/orchestration.hpp>
#include <belay/registry.hpp>
#include <belay/store/memory.hpp>
#include <belay/store/sqlite.hpp>
#include <belay/worker.hpp>
