// Runs again many runs that have ended.
#include <belay/client.hpp>
#include <belay/finding.hpp>

#include <utility>

namespace belay {

namespace {

constexpr std::uint32_t kPage = 1'000;

Result<void> check_ends(const std::vector<Status>& statuses) {
    for (const Status status : statuses) {
        if (is_terminal(status)) continue;
        return Error(Errc::invalid_argument,
                     "only a run that has ended can run again, not one that is " +
                         std::string(to_string(status)));
    }
    return {};
}

/// True if a run has this label with the id of the run as its value. An earlier run of the same id
/// does not count.
Result<bool> has_link(ManagementClient& client, const ListedInstance& run, const char* label) {
    ListOptions options;
    options.space(run.instance.name.space).label(label, run.instance.name.id).page_size(1);
    options.created_from(run.ended_at.value_or(run.created_at));
    const Result<InstancePage> page = client.list(options);
    if (!page) return page.error();
    return !page->instances.empty();
}

Result<bool> was_started_again(ManagementClient& client, const ListedInstance& run) {
    Result<bool> rerun = has_link(client, run, kRerunLabel);
    if (!rerun || *rerun) return rerun;
    return has_link(client, run, kResumeLabel);
}

/// Adds the runs of a page. Stops at the limit.
Result<void> add_page(ManagementClient& client,
                      const InstancePage& page,
                      std::optional<std::uint32_t> limit,
                      EndedRuns& ended) {
    for (const ListedInstance& run : page.instances) {
        // A run for the failure of another one is not a root of its own.
        if (run.instance.name.id.find('/') != std::string::npos) continue;
        const Result<bool> again = was_started_again(client, run);
        if (!again) return again.error();
        if (*again) {
            ++ended.started_again;
        } else if (limit && ended.found.size() == *limit) {
            ended.more = true;
            return {};
        } else {
            ended.found.push_back(run.instance);
        }
    }
    return {};
}

}  // namespace

Result<EndedRuns> Client::find_ended(const InstanceFilter& filter) {
    InstanceFilter roots = filter;
    if (!roots.match().statuses) roots.statuses({Status::failed, Status::canceled});
    if (const auto ends = check_ends(*roots.match().statuses); !ends) return ends.error();
    ListOptions options(roots.roots_only());
    options.page_size(kPage);
    EndedRuns ended;
    while (true) {
        const Result<InstancePage> page = list(options);
        if (!page) return page.error();
        const Result<void> added = add_page(*this, *page, filter.limit(), ended);
        if (!added) return added.error();
        if (page->next.empty() || ended.more) return ended;
        options.after(page->next);
    }
}

RerunManyResult Client::rerun_many(const EndedRuns& runs, const RerunOptions& options) {
    return rerun_many(runs, [this, &options](const InstanceInfo& run) {
        RerunOptions own = options;
        // Two people may run it again at the same moment.
        if (!own.key_) {
            own.key("rerun " + std::to_string(run.run.key.value), KeyScope::while_active);
        }
        return rerun(InstanceAddress(run.name, run.run), own);
    });
}

RerunManyResult Client::rerun_many(
    const EndedRuns& runs,
    const std::function<Result<StartResult>(const InstanceInfo& run)>& start) {
    RerunManyResult result;
    for (const InstanceBrief& one : runs.found) {
        const Result<InstanceInfo> info = inspect(InstanceAddress(one.name, one.run));
        const Result<StartResult> started = info ? start(*info) : Result<StartResult>(info.error());
        if (!started) {
            result.refused.push_back({one.name, started.error()});
        } else {
            ++(started->created ? result.started : result.there);
        }
    }
    return result;
}

}  // namespace belay
