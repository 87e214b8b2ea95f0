#include "conformance/registry.hpp"

#include "conformance/case.hpp"
#include "conformance/conformance.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>
#include <set>
#include <string_view>
#include <utility>

namespace belay::conformance {

namespace {

std::vector<CaseEntry>& cases() {
    static std::vector<CaseEntry> list;
    return list;
}

/// Two cases of one name would hide each other in reports.
void require_unique_names() {
    std::set<std::string_view> names;
    for (const CaseEntry& entry : cases()) {
        if (!names.insert(entry.name).second) {
            std::cerr << entry.file << ":" << entry.line << ": case " << entry.name
                      << " exists twice\n";
            std::abort();
        }
    }
}

}  // namespace

bool list_case(CaseEntry entry) {
    cases().push_back(entry);
    return true;
}

const std::vector<CaseEntry>& listed_cases() { return cases(); }

void register_conformance(const std::string& store_name, FactoryMaker make) {
    link_all_areas();
    require_unique_names();
    const std::string suite = store_name + "/Conformance";
    for (const CaseEntry& entry : listed_cases()) {
        ::testing::RegisterTest(suite.c_str(),
                                entry.name,
                                nullptr,
                                nullptr,
                                entry.file,
                                entry.line,
                                [entry, make]() -> Case* {
                                    Case* made = entry.make();
                                    made->use(make);
                                    return made;
                                });
    }
}

}  // namespace belay::conformance
