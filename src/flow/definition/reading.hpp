// The reading of one definition: the readers of simple values, and what is collected for the checks
// that need the whole definition.
#pragma once

#include "expr/program.hpp"
#include "flow/definition/definition.hpp"
#include "flow/definition/problem.hpp"
#include "flow/definition/reader.hpp"
#include "flow/definition/site.hpp"
#include "flow/definition/source.hpp"
#include "yaml/reader.hpp"
#include "yaml/value.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace belay::flow {

/// A field of an object of the document.
struct Entry {
    std::string_view name;
    Place key;
    const yaml::Value& value;
};

class Reading {
public:
    Reading(std::string_view text, const ReadOptions& checks) : options(checks), source_(text) {}

    void report(Place place, std::string message, std::string advice = {});
    void report(const expr::Problem& problem);

    // ---- Simple values: each reports a wrong type, and returns false then ----------------------

    bool is_map(const yaml::Value& value, std::string_view what);
    bool is_list(const Entry& entry);
    bool text(const Entry& entry, std::string& out);
    bool boolean(const Entry& entry, bool& out);
    bool integer(const Entry& entry, std::int64_t least, std::int64_t most, std::int64_t& out);
    bool number(const Entry& entry, double& out);
    bool duration(const Entry& entry, Millis least, Millis& out);
    bool duration(const Entry& entry, Millis least, std::optional<Millis>& out);
    bool time(const Entry& entry, std::optional<Timestamp>& out);
    /// A name that expressions can use.
    bool name(const Entry& entry, std::string& out);
    bool check_name(std::string_view what, std::string_view name, Place place);
    /// The name of a definition.
    bool flow_name(const Entry& entry, std::string& out);
    /// The name of a queue, an event and so on: text for the engine.
    bool engine_name(const Entry& entry, std::string& out);
    bool description(const Entry& entry, std::string& out);
    /// Integers within a range, each once.
    bool integers(const Entry& entry, int least, int most, std::vector<int>& out);
    /// Any value. There are no expressions in it.
    std::optional<expr::Value> constant(const yaml::Value& value);

    template <class Enum>
    bool choice(const Entry& entry,
                std::span<const std::pair<std::string_view, Enum>> choices,
                Enum& out) {
        std::string given;
        if (!text(entry, given)) return false;
        std::vector<std::string_view> names;
        for (const auto& [name, value] : choices) {
            names.push_back(name);
            if (name != given) continue;
            out = value;
            return true;
        }
        report_choice(entry, given, names);
        return false;
    }

    // ---- Expressions ---------------------------------------------------------------------------

    /// An expression that stands alone, without `${{ }}`.
    std::optional<expr::Program> bare(const Entry& entry, SiteKind kind);
    /// A text that may have expressions. A number or a boolean stands for the text that it is
    /// written as.
    std::optional<Form> text_form(std::string_view field, const yaml::Value& value, SiteKind kind);
    /// Any value, whose texts may have expressions.
    std::optional<Form> form(std::string_view field, const yaml::Value& value, SiteKind kind);
    /// A map of names and `text_form`s.
    FormFields text_fields(const Entry& entry, SiteKind kind);
    /// The environment of a program.
    FormFields environment(const Entry& entry, SiteKind kind);

    /// Returns the place of a byte of a scalar's content.
    [[nodiscard]] Place place_in(const yaml::Value& scalar, std::size_t byte) const;

    /// Reports each field that is not among the known ones.
    void refuse_unknown(const yaml::Value& object,
                        std::string_view what,
                        const std::vector<std::string_view>& known);

    // ---- Collected -----------------------------------------------------------------------------

    const ReadOptions& options;
    Problems problems;
    std::vector<Site> sites;
    std::vector<FlowUse> uses;
    /// The step that is being read; sites are made for it.
    SiteOwner owner;
    std::size_t steps = 0;  ///< The number of steps so far.

private:
    bool wrong(const Entry& entry, std::string_view wanted, std::string advice = {});
    void report_choice(const Entry& entry,
                       const std::string& given,
                       const std::vector<std::string_view>& names);
    std::optional<Form> read_text(const yaml::Value& value);
    std::optional<Form> read_form(const yaml::Value& value);
    void add_site(std::string_view field, Place place, const Form& form, SiteKind kind);

    Source source_;
};

/// Sorts problems by their places, and leaves out repeated ones.
void sort_problems(Problems& problems);
/// Returns a mistake of the text itself.
[[nodiscard]] Problem problem_of(const yaml::Mistake& mistake);
/// Returns the known name that is most like `name`; empty if none is.
[[nodiscard]] std::string nearest(std::string_view name,
                                  const std::vector<std::string_view>& known);
/// Returns `Did you mean "..."?`, or an empty text.
[[nodiscard]] std::string did_you_mean(std::string_view name,
                                       const std::vector<std::string_view>& known);
/// Returns text like "a, b and c".
[[nodiscard]] std::string listed(const std::vector<std::string_view>& names,
                                 std::string_view last_word);
[[nodiscard]] std::string in_quotes(std::string_view name);

// ---- Objects -----------------------------------------------------------------------------------

/// A field of an object, with the function that reads it into a `Target`.
template <class Target>
struct Field {
    std::string_view name;
    void (*read)(Reading&, const Entry&, Target&);
    bool required = false;
};

template <class Target>
[[nodiscard]] std::vector<std::string_view> names_of(std::span<const Field<Target>> fields) {
    std::vector<std::string_view> names;
    names.reserve(fields.size());
    for (const Field<Target>& field : fields) names.push_back(field.name);
    return names;
}

/// Reads the fields of an object, in the order of the table. `what`: "a step".
template <class Target>
bool read_object(Reading& in,
                 const yaml::Value& object,
                 std::string_view what,
                 std::span<const Field<Target>> fields,
                 Target& target) {
    if (!in.is_map(object, what)) return false;
    in.refuse_unknown(object, what, names_of(fields));
    for (const Field<Target>& field : fields) {
        bool found = false;
        for (std::size_t i = 0; i < object.keys.size(); ++i) {
            if (object.keys[i].name != field.name) continue;
            found = true;
            field.read(in, {field.name, object.keys[i].place, object.items[i]}, target);
        }
        if (found || !field.required) continue;
        in.report(object.place, std::string(what) + " needs the field " + in_quotes(field.name));
    }
    return true;
}

}  // namespace belay::flow
