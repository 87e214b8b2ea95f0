#include "flow/definition/used_names.hpp"

#include "flow/definition/references.hpp"

#include <optional>
#include <utility>
#include <variant>

namespace belay::flow {

namespace {

class Collector {
public:
    UsedNames used;

    void add(const expr::Program& program) {
        for (const Reference& reference : references_of(program.root())) {
            if (reference.root == "params") {
                add_name(reference, used.params, used.all_params);
            } else if (reference.root == "secrets") {
                add_name(reference, used.secrets, used.all_secrets);
            }
        }
    }
    void add(const Form& form) {
        if (const expr::Template* const text = form.text()) {
            for (const expr::Program& program : text->expressions()) add(program);
        } else if (const Form::Items* const items = form.items()) {
            for (const Form& item : *items) add(item);
        } else if (const Form::Fields* const fields = form.fields()) {
            add(*fields);
        }
    }
    void add(const FormFields& fields) {
        for (const auto& [name, form] : fields) add(form);
    }
    template <class T>
    void add(const std::optional<T>& part) {
        if (part) add(*part);
    }
    void add(const CodeArguments& args) {
        for (const Form& form : args.values) add(form);
    }
    void add(const MapOver& map) { add(map.over); }

    void operator()(const Exec& exec) {
        for (const Form& part : exec.program) add(part);
    }
    void operator()(const Http& http) {
        add(http.url);
        add(http.headers);
        add(http.json);
        add(http.body);
    }
    void operator()(const Sleep& sleep) { add(sleep.duration); }
    void operator()(const Approval& approval) { add(approval.prompt); }
    void operator()(const Set& set) { add(set.value); }
    void operator()(const auto& /*without_forms*/) {}

private:
    static void add_name(const Reference& reference, std::set<std::string>& names, bool& all) {
        if (reference.member.empty()) {
            all = true;
        } else {
            names.insert(reference.member);
        }
    }
};

}  // namespace

UsedNames used_names(const Step& step, const FormFields& env) {
    Collector collector;
    std::visit(collector, step.action);
    collector.add(step.with);
    collector.add(step.args);
    collector.add(step.env);
    collector.add(step.dir);
    collector.add(step.input);
    collector.add(step.condition);
    collector.add(step.map);
    const bool has_env =
        std::holds_alternative<Exec>(step.action) || std::holds_alternative<Script>(step.action);
    if (has_env) collector.add(env);
    return std::move(collector.used);
}

}  // namespace belay::flow
