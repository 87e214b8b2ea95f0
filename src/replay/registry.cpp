#include <belay/detail/mutex.hpp>
#include <belay/ids.hpp>
#include <belay/limits.hpp>
#include <belay/registry.hpp>

#include <algorithm>
#include <stdexcept>

namespace belay {

void Registry::add_orchestration(std::string name, RegisteredOrchestration orchestration) {
    // A store would refuse every turn that starts such a child.
    if (const std::string& version = orchestration.version; !version.empty()) {
        const auto valid = check_name("the version", version, Limits().name_bytes);
        if (!valid) {
            throw std::invalid_argument("belay: orchestration '" + name +
                                        "': " + valid.error().message());
        }
    }
    const auto entry = orchestrations_.try_emplace(std::move(name)).first;
    std::vector<RegisteredOrchestration>& versions = entry->second;
    const auto place = std::find_if(versions.begin(), versions.end(), [&](const auto& one) {
        return compare_versions(one.version, orchestration.version) >= 0;
    });
    if (place != versions.end() && compare_versions(place->version, orchestration.version) == 0) {
        std::string what = "belay: orchestration '" + entry->first +
                           "' is registered twice with version '" + orchestration.version + "'";
        // "2" and "2.0" do not look alike.
        if (place->version != orchestration.version) {
            what += ", which is the same as '" + place->version + "'";
        }
        throw std::invalid_argument(what);
    }
    versions.insert(place, std::move(orchestration));
}

namespace {

/// The code of one document, compiled when it is first needed.
class CompiledDocument {
public:
    CompiledDocument(DocumentCompiler compiler, Payload document)
        : compiler_(std::move(compiler)), document_(std::move(document)) {}

    [[nodiscard]] std::shared_ptr<const OrchestrationHandler> handler() BELAY_EXCLUDES(mutex_) {
        const detail::MutexLock lock(mutex_);
        if (!handler_) handler_ = std::make_shared<OrchestrationHandler>(compiler_(document_));
        return handler_;
    }

private:
    const DocumentCompiler compiler_;
    const Payload document_;
    detail::Mutex mutex_;
    std::shared_ptr<const OrchestrationHandler> handler_ BELAY_GUARDED_BY(mutex_);
};

}  // namespace

void Registry::set_interpreter(DocumentCompiler compile, std::string version) {
    compiler_ = std::move(compile);
    interpreter_version_ = std::move(version);
}

void Registry::set_interpreter(Interpreter interpreter, std::string version) {
    auto shared = std::make_shared<const Interpreter>(std::move(interpreter));
    set_interpreter(
        [shared = std::move(shared)](const Payload& document) -> OrchestrationHandler {
            return [shared, document](OrchestrationContext context, const Payload& input) {
                return (*shared)(std::move(context), document, input);
            };
        },
        std::move(version));
}

std::optional<RegisteredOrchestration> Registry::interpret(Payload document) const {
    if (!interprets()) return std::nullopt;
    auto code = std::make_shared<CompiledDocument>(compiler_, std::move(document));
    return RegisteredOrchestration{
        interpreter_version_,
        [code = std::move(code)](OrchestrationContext context, const Payload& input) {
            const std::shared_ptr<const OrchestrationHandler> handler = code->handler();
            return (*handler)(std::move(context), input);
        }};
}

void Registry::add_activity(std::string name, ActivityHandler handler) {
    if (activities_.contains(name)) {
        throw std::invalid_argument("belay: activity '" + name + "' is registered twice");
    }
    activities_.emplace(std::move(name), std::move(handler));
}

const RegisteredOrchestration* Registry::orchestration(std::string_view name) const {
    const auto at = orchestrations_.find(name);
    return at == orchestrations_.end() ? nullptr : &at->second.back();
}

const RegisteredOrchestration* Registry::orchestration(std::string_view name,
                                                       std::string_view version) const {
    if (version.empty()) return orchestration(name);
    const auto at = orchestrations_.find(name);
    if (at == orchestrations_.end()) return nullptr;
    for (const RegisteredOrchestration& one : at->second) {
        if (compare_versions(one.version, version) == 0) return &one;
    }
    return nullptr;
}

const ActivityHandler* Registry::activity(std::string_view name) const {
    const auto at = activities_.find(name);
    return at == activities_.end() ? nullptr : &at->second;
}

std::map<std::string, std::vector<std::string>> Registry::orchestrations() const {
    std::map<std::string, std::vector<std::string>> names;
    for (const auto& [name, versions] : orchestrations_) {
        for (const RegisteredOrchestration& one : versions) names[name].push_back(one.version);
    }
    return names;
}

std::vector<std::string> Registry::activities() const {
    std::vector<std::string> names;
    names.reserve(activities_.size());
    for (const auto& [name, handler] : activities_) names.push_back(name);
    return names;
}

bool Registry::has(ActivityKind kind) const {
    return std::any_of(activities_.begin(), activities_.end(), [&](const auto& activity) {
        return activity.second.kind() == kind;
    });
}

std::string_view to_string(StopReason reason) noexcept {
    switch (reason) {
        case StopReason::none: return "none";
        case StopReason::canceled: return "canceled";
        case StopReason::lease_lost: return "lease lost";
        case StopReason::shutdown: return "shutdown";
        case StopReason::timeout: return "timeout";
    }
    return "unknown";
}

std::string ActivityContext::idempotency_key() const {
    ActivityRef first = info_->activity;
    if (info_->first_command != 0) first.command = info_->first_command;
    return to_string(first);
}

}  // namespace belay
