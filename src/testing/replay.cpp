#include "document/document.hpp"
#include "model/annotations.hpp"
#include "replay/execution.hpp"
#include "testing/replay_execution.hpp"
#include <belay/testing/problem.hpp>
#include <belay/testing/replay.hpp>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>
#include <utility>
#include <variant>

namespace belay::testing {

Result<void> replay_execution(const Registry& registry,
                              const InstanceName& name,
                              const Headers& headers,
                              const std::optional<Payload>& document,
                              ExecutionNo execution,
                              const std::vector<model::Event>& events,
                              const Limits& limits) {
    const auto started = std::find_if(events.begin(), events.end(), [](const model::Event& event) {
        return std::holds_alternative<model::ExecutionStarted>(event);
    });
    if (started == events.end()) return {};  // Nothing of it had run.
    const auto& begins = std::get<model::ExecutionStarted>(*started);
    std::optional<RegisteredOrchestration> interpreted;
    if (document) interpreted = registry.interpret(*document);
    if (document && !interpreted) {
        return Error(Errc::not_found,
                     "'" + name.id +
                         "' has a document: give the registry that is replayed against "
                         "an interpreter (Registry::set_interpreter)");
    }
    const RegisteredOrchestration* const code =
        interpreted ? &*interpreted : registry.orchestration(begins.definition, begins.version);
    if (code == nullptr) {
        return Error(Errc::not_found,
                     "no orchestration '" + begins.definition + "' of version '" + begins.version +
                         "' is registered: add its code to the registry that is replayed against");
    }
    replay::Execution replayed(
        code->handler,
        replay::Identity{
            name, execution, begins.definition, begins.version, {}, model::given_headers(headers)},
        limits);
    return replayed.replay(events);
}

Result<void> replay(std::string_view document, const Registry& registry, const Limits& limits) {
    const Result<document::Document> read = document::read_document(document, limits);
    if (!read) return read.error();
    const InstanceName name{read->instance.space, read->instance.id};
    for (const document::DocumentExecution& execution : read->executions) {
        std::vector<model::Event> events;
        for (const std::vector<model::Event>& turn : execution.turns) {
            events.insert(events.end(), turn.begin(), turn.end());
        }
        std::optional<Payload> text;
        if (read->instance.document) text = read->instance.document->text;
        Result<void> same = replay_execution(
            registry, name, read->instance.headers, text, execution.execution, events, limits);
        if (!same) return same;
    }
    return {};
}

namespace {

Result<void> replay_file(const std::filesystem::path& file,
                         const Registry& registry,
                         const Limits& limits) {
    std::ifstream in(file, std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    if (!in.is_open() || in.bad()) {
        return Error(Errc::unavailable, "'" + file.string() + "' cannot be read");
    }
    return replay(text.str(), registry, limits);
}

}  // namespace

std::vector<ReplayedFile> replay_all(const std::filesystem::path& directory,
                                     const Registry& registry,
                                     const Limits& limits) {
    std::error_code problem;
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(directory, problem)) {
        if (entry.path().extension() == ".json") files.push_back(entry.path());
    }
    if (problem) {
        throw Problem("the histories in '" + directory.string() +
                      "' cannot be read: " + problem.message());
    }
    if (files.empty()) {
        throw Problem("there is no history (*.json) in '" + directory.string() + "'");
    }
    std::sort(files.begin(), files.end());
    std::vector<ReplayedFile> all;
    for (std::filesystem::path& file : files) {
        Result<void> result = replay_file(file, registry, limits);
        all.push_back(ReplayedFile{std::move(file), std::move(result)});
    }
    return all;
}

}  // namespace belay::testing
