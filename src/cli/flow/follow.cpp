#include "cli/flow/follow.hpp"

#include "cli/exit_code.hpp"
#include "cli/flow/flow_worker.hpp"
#include "cli/flow/output_feed.hpp"
#include "cli/flow/pipeline.hpp"
#include "cli/flow/run_reader.hpp"
#include "cli/flow/stop_signals.hpp"
#include "cli/step_output.hpp"
#include "cli/store_here.hpp"
#include "cli/text.hpp"
#include <belay/shown_status.hpp>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <utility>

namespace belay::cli {

namespace {

using SteadyTime = std::chrono::steady_clock::time_point;

/// A view is read at most so often. A run whose reads take long is read less often.
constexpr Millis kBetweenReads{200};
/// Progress in another process is seen so late at most.
constexpr Millis kLongestUnread{1'000};
/// A signal, and the time on a terminal, are seen so late at most.
constexpr Millis kTick{100};

/// Rings when the store tells of a change.
class ChangeListener final : public StoreListener {
public:
    ChangeListener(Service& service, Bell& bell) : service_(service), bell_(bell) {
        service_.subscribe(*this);
    }
    ChangeListener(const ChangeListener&) = delete;
    ChangeListener& operator=(const ChangeListener&) = delete;
    ~ChangeListener() override { service_.unsubscribe(*this); }

    bool follows_runs() const override { return true; }
    void run_changed(RunRef /*run*/, RunChange /*change*/) override { bell_.ring(); }
    void instance_ended(RunRef /*run*/) override { bell_.ring(); }
    void instance_settled(RunRef /*run*/) override { bell_.ring(); }

private:
    Service& service_;
    Bell& bell_;
};

FlowWorkerOptions worker_options(const FollowOptions& options) {
    FlowWorkerOptions worker;
    worker.name = "belay run";
    worker.workers = options.workers;
    worker.directory = options.directory;
    return worker;
}

class Follower {
public:
    Follower(Context& context, const ChosenFlowRun& chosen, const FollowOptions& options)
        : context_(context),
          chosen_(chosen),
          options_(options),
          reader_(context, chosen.info, chosen.bundle),
          presenter_(make_presenter(options.style, context.terminal(), chosen.info.name.id)),
          listener_(context.service(), *bell_),
          worker_(context, worker_options(options), bell_) {}

    Exit run();

private:
    void note_start();
    void look();
    [[nodiscard]] bool is_due(SteadyTime now) const;
    void cancel_once();
    [[nodiscard]] Exit leave(bool at_once);
    [[nodiscard]] Exit end();
    [[nodiscard]] std::string logs_command() const;
    [[nodiscard]] std::string again_command() const;

    Context& context_;
    const ChosenFlowRun& chosen_;
    const FollowOptions options_;
    StopSignals signals_;
    std::shared_ptr<Bell> bell_ = std::make_shared<Bell>();
    RunReader reader_;
    std::unique_ptr<Presenter> presenter_;
    ChangeListener listener_;
    FlowWorker worker_;
    RunView view_;
    bool rang_ = true;
    bool asked_to_cancel_ = false;
    SteadyTime read_at_{};
    std::chrono::steady_clock::duration read_took_{};
};

void Follower::note_start() {
    const std::string& id = chosen_.info.name.id;
    const Timestamp now = context_.now();
    if (!chosen_.joined) {
        presenter_->note("started", "run " + id + " started", now);
        return;
    }
    const Status shown = shown_status(chosen_.info);
    const bool canceling = shown == Status::canceling;
    const std::string state = is_terminal(shown) ? " has ended already"
                              : canceling        ? " goes on: it is being canceled"
                                                 : " goes on";
    presenter_->note("joined", "run " + id + state, now);
    if (!chosen_.file_changed) return;
    presenter_->note("file_changed",
                     "the file has changed since this run began; the run keeps its own definition",
                     now);
}

bool Follower::is_due(SteadyTime now) const {
    const auto since = now - read_at_;
    // Reading takes at most a fifth of the time.
    const auto least = std::max<std::chrono::steady_clock::duration>(kBetweenReads, 5 * read_took_);
    return rang_ ? since >= least
                 : since >= std::max<std::chrono::steady_clock::duration>(kLongestUnread, least);
}

void Follower::look() {
    read_at_ = std::chrono::steady_clock::now();
    rang_ = false;
    view_ = reader_.read();
    read_took_ = std::chrono::steady_clock::now() - read_at_;
    for (const std::string& warning : worker_.feed().take_warnings()) {
        presenter_->note("warning", warning, context_.now());
    }
    presenter_->show(view_, worker_.feed().take(), context_.now());
    if (const std::uint64_t dropped = worker_.feed().take_dropped(); dropped != 0) {
        presenter_->note("warning",
                         std::to_string(dropped) + " lines of output are not shown here",
                         context_.now());
    }
}

void Follower::cancel_once() {
    if (asked_to_cancel_) return;
    asked_to_cancel_ = true;
    CancelOptions cancel;
    cancel.reason("interrupted").by(context_.user());
    const InstanceAddress address(chosen_.info.name, chosen_.info.run);
    const auto canceled = context_.client().cancel(address, cancel);
    const std::string again = "; Ctrl-C again leaves at once";
    presenter_->note(
        canceled ? "canceling" : "not_canceled",
        canceled ? "canceling" + again : "not canceled: " + canceled.error().message() + again,
        context_.now());
    rang_ = true;
}

Exit Follower::leave(bool at_once) {
    presenter_->leave();
    const std::string run = "left; run " + chosen_.info.name.id;
    const std::string then =
        asked_to_cancel_
            ? " is canceled; go on with its cleanup, if there is any: " + again_command()
            : " goes on when the same command is given again";
    presenter_->note("left", run + then, context_.now());
    context_.terminal().out.flush();
    context_.terminal().err.flush();
    // The programs of a dead process end with it, and others take its work over at once.
    if (at_once) std::_Exit(static_cast<int>(Exit::left));
    worker_.stop();
    return Exit::left;
}

/// The same command would start another run if this one ends before.
std::string Follower::again_command() const {
    if (options_.file.empty()) return "belay work" + store_words(context_);
    std::string words =
        "belay run " + shell_word(options_.file) + " --join " + shell_word(chosen_.info.name.id);
    // The store beside the file is found without words.
    if (!context_.store_source().starts_with(kStoreFolder)) words += store_words(context_);
    return words;
}

std::string Follower::logs_command() const {
    const auto found = find_failed_output(context_, reader_.info());
    if (!found) return {};
    return "belay logs " + shell_word(found->run) + " --step " + shell_word(found->step) +
           store_words(context_);
}

Exit Follower::end() {
    worker_.stop();
    const InstanceInfo& info = reader_.info();
    RunEnd told;
    told.outcome = *info.outcome;
    told.took = info.ended_at.value_or(info.created_at) - info.created_at;
    told.more = logs_command();
    presenter_->end(view_, told, context_.now());
    return exit_of_run(told.outcome, info.definition);
}

Exit Follower::run() {
    note_start();
    while (true) {
        if (StopSignals::terminated()) return leave(false);
        if (StopSignals::interrupts() > 1) return leave(true);
        if (StopSignals::interrupts() == 1) cancel_once();
        if (is_due(std::chrono::steady_clock::now())) {
            look();
            if (reader_.settled()) return end();
        } else {
            presenter_->tick(context_.now());
        }
        if (bell_->wait(kTick)) rang_ = true;
    }
}

}  // namespace

std::vector<Option> follow_words() {
    return {{.name = "plain", .help = "print lines, also on a terminal"},
            {.name = "quiet", .help = "print only the output, or the failure"},
            {.name = "workers", .value = "N", .help = "run at most N steps at once. Default: 64"}};
}

FollowOptions follow_options_of(Context& context, const Arguments& arguments) {
    FollowOptions options;
    const bool moves = context.terminal().out_is_terminal &&
                       context.environment().variable("TERM").value_or("dumb") != "dumb";
    if (context.json()) {
        options.style = Style::json;
    } else if (arguments.has("quiet")) {
        options.style = Style::quiet;
    } else {
        options.style = moves && !arguments.has("plain") ? Style::live : Style::lines;
    }
    options.workers = number_option(arguments, "workers");
    if (options.workers && (*options.workers == 0 || *options.workers > 1'000)) {
        throw usage_problem("--workers is a number from 1 to 1000");
    }
    return options;
}

std::string folder_of_store(Context& context) {
    namespace fs = std::filesystem;
    const fs::path here(context.environment().directory);
    const fs::path path = (here / fs::path(context.url().path)).lexically_normal();
    const fs::path folder = path.parent_path();
    return folder.filename() == kStoreFolder ? folder.parent_path().string() : here.string();
}

Exit exit_of_run(const Outcome& outcome, const std::string& flow) noexcept {
    switch (outcome.status) {
        case Status::completed:
        case Status::skipped: return Exit::ok;
        case Status::canceled:
            return outcome.cancel.source == CancelSource::policy ? Exit::timed_out : Exit::canceled;
        default: break;
    }
    const bool own_timeout =
        outcome.failure.kind == FailureKind::timeout && outcome.failure.where == flow;
    return own_timeout ? Exit::timed_out : Exit::failed;
}

Exit follow(Context& context, const ChosenFlowRun& chosen, const FollowOptions& options) {
    Follower follower(context, chosen, options);
    return follower.run();
}

}  // namespace belay::cli
