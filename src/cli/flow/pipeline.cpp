#include "cli/flow/pipeline.hpp"

#include "cli/commands/input.hpp"
#include "cli/exit_code.hpp"
#include "cli/store_here.hpp"
#include "cli/text.hpp"
#include "flow/checks.hpp"
#include "flow/definition/limits.hpp"

#include <sys/stat.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <utility>

namespace belay::cli {

namespace {

namespace fs = std::filesystem;

fs::path absolute_from(const Context& context, const std::string& path) {
    const fs::path given(path);
    return given.is_absolute() ? given : fs::path(context.environment().directory) / given;
}

/// Finds the definitions beside a file, and remembers their paths.
class Neighbours {
public:
    Neighbours(Context& context, const fs::path& main)
        : context_(&context), folder_(main.parent_path()) {}

    std::optional<std::string> find(std::string_view name) {
        static constexpr std::array<const char*, 3> kEndings{".yaml", ".yml", ".json"};
        for (const char* const ending : kEndings) {
            const std::string path = (folder_ / (std::string(name) + ending)).string();
            std::error_code ignored;
            if (!fs::is_regular_file(path, ignored)) continue;
            paths_[std::string(name)] = path;
            return read_content(*context_, path, flow::kMostSource);
        }
        return std::nullopt;
    }
    [[nodiscard]] std::string path_of(const std::string& name, const std::string& main) const {
        const auto found = paths_.find(name);
        return found == paths_.end() ? main : found->second;
    }

private:
    Context* context_;
    fs::path folder_;
    std::map<std::string, std::string> paths_;
};

void make_folder(const fs::path& folder) {
    if (::mkdir(folder.c_str(), S_IRWXU) == 0) {
        // What a run writes there is nothing for a repository.
        std::ofstream(folder / ".gitignore") << "*\n";
        return;
    }
    if (errno == EEXIST) return;
    throw Problem(
        Exit::trouble,
        "the folder '" + safe(folder.string()) + "' cannot be made: " + std::strerror(errno),
        "name another store: --store sqlite:PATH");
}

}  // namespace

std::string shell_word(const std::string& word) {
    const bool plain =
        !word.empty() && word.find_first_not_of(
                             "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
                             "-_./:@%+=,") == std::string::npos;
    if (plain) return word;
    std::string result = "'";
    for (const char c : word) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return result + "'";
}

PipelineRead read_pipeline(Context& context, const std::string& path) {
    if (path == "-") {
        throw usage_problem("a flow is read from a file: its store is kept beside it");
    }
    const std::string text = read_content(context, path, flow::kMostSource);
    const fs::path file = absolute_from(context, path).lexically_normal();
    Neighbours neighbours(context, fs::path(path));
    auto bundle = flow::read_bundle(
        text,
        [&](std::string_view name) { return neighbours.find(name); },
        flow::with_all_checks());
    PipelineRead read;
    if (!bundle) {
        for (flow::Problem& problem : bundle.error()) {
            const std::string where = neighbours.path_of(problem.flow, path);
            read.problems.push_back(PlacedProblem{where, std::move(problem)});
        }
        return read;
    }
    Pipeline pipeline;
    pipeline.path = path;
    pipeline.bundle = std::move(*bundle);
    pipeline.folder = file.parent_path().string();
    pipeline.store = (file.parent_path() / kStoreFolder / (pipeline.bundle.main + ".db")).string();
    read.pipeline = std::move(pipeline);
    return read;
}

std::string problem_lines(const PlacedProblem& placed) {
    std::string text = placed.path;
    if (placed.problem.place != flow::kNoPlace) {
        text += ":" + std::to_string(placed.problem.place.line) + ":" +
                std::to_string(placed.problem.place.column);
    }
    text += ": " + placed.problem.message;
    if (!placed.problem.advice.empty()) text += "\n    " + placed.problem.advice;
    return text;
}

Pipeline require_pipeline(Context& context, const std::string& path) {
    PipelineRead read = read_pipeline(context, path);
    if (read.pipeline) return std::move(*read.pipeline);
    std::string text = counted(read.problems.size(), "mistake") + " in the definition:";
    for (const PlacedProblem& placed : read.problems) text += "\n" + problem_lines(placed);
    throw Problem(Exit::invalid, text);
}

void use_store_of(Context& context, const Pipeline& pipeline) {
    if (context.has_store()) return;
    make_folder(fs::path(pipeline.store).parent_path());
    context.use_store(sqlite_url(pipeline.store),
                      std::string(kStoreFolder) + " beside " + pipeline.path);
}

std::string store_words(Context& context) {
    const std::string& from = context.store_source();
    if (from != "--store" && !from.starts_with(kStoreFolder)) return {};
    const StoreUrl url = context.url();
    const fs::path here = fs::path(context.environment().directory) / kStoreFolder;
    const std::vector<fs::path> stores = stores_in(here);
    const fs::path path = absolute_from(context, url.path);
    if (stores.size() == 1 && stores.front() == path) return {};
    const fs::path near = path.lexically_relative(context.environment().directory);
    const bool is_below = !near.empty() && *near.begin() != "..";
    return " --store " + shell_word(sqlite_url(is_below ? near.string() : path.string()));
}

}  // namespace belay::cli
