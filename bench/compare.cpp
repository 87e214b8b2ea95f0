#include "compare.hpp"

#include "children.hpp"
#include "groups.hpp"
#include "measure.hpp"
#include "turns.hpp"

#include <algorithm>
#include <cstdio>
#include <sstream>
#include <string_view>

namespace belay::bench {

namespace {

/// The protocol between the two sides. A build that measures a figure in a new way gets another
/// number: the two cannot be compared then.
constexpr const char* kProtocol = "figures of belay-bench, 1";

constexpr const char* kNamesRole = "--names";
constexpr const char* kSliceRole = "--slice";

Plan::Names names_of(const std::string& group) {
    Report report(Plan::names_only(), nullptr);
    group_of(group)(report);
    Plan::Names names = report.plan().names();
    std::erase_if(names, [](const auto& figure) { return figure.second == Kind::other; });
    return names;
}

/// The names that another build has, too.
std::vector<std::string> names_of(const std::string& group, const std::string& program) {
    Child child({kNamesRole, group}, program);
    require(child.line() == std::string(kProtocol) + "\n",
            "the other build measures in another way: the two cannot be compared");
    std::vector<std::string> names;
    while (const std::optional<std::string> line = child.next_line()) {
        names.push_back(line->substr(0, line->find('\n')));
    }
    return names;
}

double one_slice(const std::string& program, const std::string& group, const std::string& name) {
    Child child({kSliceRole, group, name}, program);
    return std::stod(child.line());
}

Comparison compare(const Report& report,
                   const std::string& group,
                   const std::string& other,
                   const std::pair<std::string, Kind>& figure) {
    const std::string own = own_program();
    const Turns turns = take_turns(
        report.plan().slices(),
        [&] { return one_slice(own, group, figure.first); },
        [&] { return one_slice(other, group, figure.first); });
    return Comparison{
        figure.first, figure.second, median(turns.yardstick), median(turns.subject), turns.ratio};
}

int print_names(const std::string& group) {
    require(group_of(group) != nullptr, "there is no group '" + group + "'");
    std::puts(kProtocol);
    for (const auto& figure : names_of(group)) std::puts(figure.first.c_str());
    return 0;
}

int print_slice(const std::string& group, const std::string& name) {
    require(group_of(group) != nullptr, "there is no group '" + group + "'");
    Report report(Plan::one_slice_of(name), nullptr);
    group_of(group)(report);
    require(report.last().has_value(), "there is no figure '" + name + "'");
    std::printf("%.17g\n", *report.last());
    return 0;
}

}  // namespace

void compare_with(Report& report,
                  const std::string& group,
                  const std::string& only,
                  const std::string& other) {
    const std::vector<std::string> theirs = names_of(group, other);
    bool any = false;
    for (const auto& figure : names_of(group)) {
        const bool shared = std::find(theirs.begin(), theirs.end(), figure.first) != theirs.end();
        if (!shared || figure.first.find(only) == std::string::npos) continue;
        report.add(compare(report, group, other, figure));
        any = true;
    }
    require(any, "no figure of that name can be compared");
}

int answer_comparison(const std::vector<std::string>& arguments) {
    if (arguments.size() == 2 && arguments[0] == kNamesRole) return print_names(arguments[1]);
    if (arguments.size() == 3 && arguments[0] == kSliceRole) {
        return print_slice(arguments[1], arguments[2]);
    }
    return -1;
}

}  // namespace belay::bench
