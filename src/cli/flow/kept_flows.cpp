#include "cli/flow/kept_flows.hpp"

#include "cli/exit_code.hpp"
#include "cli/flow/pipeline.hpp"
#include "cli/store_here.hpp"
#include "cli/text.hpp"

#include <charconv>
#include <filesystem>
#include <utility>

namespace belay::cli {

namespace {

constexpr std::uint32_t kFlowPage = 500;

bool names_file(const Context& context, const std::string& name) {
    const std::filesystem::path path(name);
    std::error_code ignored;
    return std::filesystem::is_regular_file(
        path.is_absolute() ? path : context.environment().directory / path, ignored);
}

/// "backup@3" is the flow backup in its version 3.
std::pair<std::string, std::optional<std::uint64_t>> name_and_version(const std::string& word) {
    const std::size_t at = word.rfind('@');
    if (at == std::string::npos) return {word, std::nullopt};
    std::uint64_t version = 0;
    const char* const end = word.data() + word.size();
    const auto [stopped, problem] = std::from_chars(word.data() + at + 1, end, version);
    if (problem != std::errc() || stopped != end) {
        throw usage_problem("'" + safe(word) + "' is no version of a flow", "write NAME@3");
    }
    return {word.substr(0, at), version};
}

const DocumentInfo& chosen(const std::vector<DocumentInfo>& all,
                           const std::string& word,
                           const std::string& flow,
                           std::optional<std::uint64_t> version) {
    if (all.empty()) {
        throw Problem(Exit::not_found,
                      "there is no file '" + safe(word) + "', and the store keeps no flow '" +
                          safe(flow) + "'",
                      "'belay flow list' names those that it keeps");
    }
    if (!version) return all.back();
    for (const DocumentInfo& one : all) {
        if (one.head.number == *version) return one;
    }
    throw Problem(Exit::not_found,
                  "the store keeps no version " + std::to_string(*version) + " of the flow '" +
                      safe(flow) + "'",
                  "'belay flow list " + flow + "' names those that it keeps");
}

}  // namespace

std::vector<DocumentInfo> kept_flows(Context& context, const std::optional<std::string>& flow) {
    requests::ListDocuments request;
    request.space = context.space();
    request.name = flow;
    request.page_size = kFlowPage;
    std::vector<DocumentInfo> all;
    for (;;) {
        auto page = or_throw(context.client().documents(request));
        all.insert(all.end(), page.begin(), page.end());
        if (page.size() < kFlowPage) return all;
        request.after = DocumentPlace{page.back().head.name, page.back().head.number};
    }
}

FlowSource find_flow_source(Context& context, const std::string& word) {
    if (names_file(context, word)) {
        Pipeline pipeline = require_pipeline(context, word);
        std::error_code ignored;
        if (!context.has_store() && std::filesystem::exists(pipeline.store, ignored)) {
            context.use_store(sqlite_url(pipeline.store),
                              std::string(kStoreFolder) + " beside " + word);
        }
        return {word, std::move(pipeline.bundle), std::nullopt};
    }
    const auto [flow, version] = name_and_version(word);
    const std::vector<DocumentInfo> all = kept_flows(context, flow);
    const DocumentInfo& info = chosen(all, word, flow, version);
    const Payload text = or_throw(context.client().document(info.head.digest, context.space()));
    flow::Bundle bundle = or_throw(flow::open_bundle(text.bytes));
    return {flow + "@" + std::to_string(info.head.number), std::move(bundle), info};
}

}  // namespace belay::cli
