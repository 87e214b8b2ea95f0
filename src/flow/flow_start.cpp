#include "flow/flow_start.hpp"

#include "flow/definition/limits.hpp"
#include "flow/definition/params.hpp"
#include "flow/flow_code.hpp"
#include "flow/interpreter/run_input.hpp"
#include "flow/interpreter/values.hpp"
#include <belay/exceptions.hpp>
#include <belay/limits.hpp>

#include <utility>

namespace belay::flow {

namespace {

Error wrong_key(const std::string& problem) {
    return {Errc::invalid_argument, "the key of \"concurrency\" cannot be used: " + problem};
}

belay::WhenBusy engine_choice(WhenBusy choice) noexcept {
    switch (choice) {
        case WhenBusy::refuse: return belay::WhenBusy::refuse;
        case WhenBusy::replace: return belay::WhenBusy::replace;
        case WhenBusy::allow: return belay::WhenBusy::allow;
        case WhenBusy::queue: break;
    }
    return belay::WhenBusy::queue;
}

static_assert(kMostRateStarts == belay::Limits().rate_starts);

belay::WhenOver engine_choice(WhenOver choice) noexcept {
    switch (choice) {
        case WhenOver::refuse: return belay::WhenOver::refuse;
        case WhenOver::drop: return belay::WhenOver::drop;
        case WhenOver::queue: break;
    }
    return belay::WhenOver::queue;
}

}  // namespace

Payload document_of(const Bundle& bundle) {
    return Payload(PayloadCodec::json, write_bundle(bundle));
}

StartOptions start_options(const Bundle& bundle, const std::string& by) {
    const Definition& main = bundle.main_flow();
    StartOptions options;
    options.version(std::string(kInterpreterVersion)).document(document_of(bundle));
    options.on_fail(!main.on_fail.empty()).priority(main.priority);
    if (main.expires) options.expires(*main.expires);
    if (const auto rate = rate_of(main)) options.rate(rate->count, rate->per, rate->when_over);
    for (const auto& [name, value] : main.labels) options.label(name, value);
    if (!by.empty()) options.started_by(by).header(kStartedByHeader, by);
    return options;
}

std::optional<belay::RateOfStarts> rate_of(const Definition& definition) {
    if (!definition.rate) return std::nullopt;
    const Rate& rate = *definition.rate;
    return belay::RateOfStarts{rate.starts, rate.per, engine_choice(rate.when_over)};
}

Result<std::optional<belay::Concurrency>> concurrency_of(const Definition& definition,
                                                         const expr::Map& params) {
    using Key = std::optional<belay::Concurrency>;
    if (!definition.concurrency) return Key();
    Fields fields;
    fields.emplace_back("params", expr::Value(params));
    const auto key = definition.concurrency->key.run(map_of(std::move(fields)));
    if (!key) return wrong_key(to_string(key.error()));
    if (key->is(expr::Kind::null)) return Key();
    const bool is_name =
        key->is(expr::Kind::text) || key->is(expr::Kind::integer) || key->is(expr::Kind::boolean);
    if (!is_name) {
        return wrong_key("it is of the type " + std::string(to_string(key->kind())) +
                         ", not a text, an integer or a boolean");
    }
    std::string text = text_of(*key);
    if (text.empty()) return wrong_key("it is empty; null stands for no key");
    return Key(
        belay::Concurrency{std::move(text), engine_choice(definition.concurrency->when_busy)});
}

Result<FlowStart> flow_start(const Bundle& bundle,
                             const expr::Value& params,
                             const std::string& by) {
    const auto checked = check_params(bundle.main_flow(), params);
    if (!checked) return Error(Errc::invalid_argument, described(checked.error()));
    Result<std::optional<belay::Concurrency>> key = concurrency_of(bundle.main_flow(), *checked);
    if (!key) return key.error();
    Result<Payload> input = start_input(params);
    if (!input) return input.error();
    FlowStart start{bundle.main, std::move(*input), start_options(bundle, by)};
    if (*key) start.options.concurrency((*key)->key, (*key)->when_busy);
    return start;
}

Result<Payload> start_input(const expr::Value& params) {
    RunInput input;
    input.params = params;
    try {
        return encode_input(input);
    } catch (const OperationFailed& problem) {
        return Error(Errc::invalid_argument, problem.failure().message);
    }
}

}  // namespace belay::flow
