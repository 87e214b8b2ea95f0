// What a retention would remove.
#include "client/old_executions.hpp"
#include "client/retention.hpp"
#include "client/steps.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace belay::client {

namespace {

/// Looks at everything that is past its time, and at the executions of chains.
class Previewing : public std::enable_shared_from_this<Previewing> {
public:
    Previewing(std::shared_ptr<Sender> sender,
               store::Overdue overdue,
               std::uint32_t examples,
               Done<RetentionPreview> done)
        : sender_(std::move(sender)),
          overdue_(std::move(overdue)),
          examples_(examples),
          done_(std::move(done)) {}

    void go_on() {
        const std::shared_ptr<Previewing> alive = shared_from_this();
        steps_.go_on([this] { step(); });
    }

private:
    void step() {
        if (error_) return done_(*error_);
        while (!due_.empty() && note_at_once(due_.front())) due_.pop_front();
        if (!due_.empty()) return look_at(due_.front());
        std::optional<store::Overdue::Read> next = overdue_.next();
        if (!next) return done_(result());
        std::visit([this](auto& read) { ask(std::move(read)); }, *next);
    }

    /// Reads, and goes on with what `take` makes of the answer.
    template <class Request, class Take>
    void ask(Request request, Take take) {
        sender_->store().read(
            std::move(request),
            [self = shared_from_this(), take](Result<typename Request::Answer> answer) {
                if (answer) {
                    take(*self, std::move(*answer));
                } else {
                    self->error_ = answer.error();
                }
                self->go_on();
            });
    }
    void ask(ListOutcomes request) {
        ask(std::move(request),
            [](Previewing& self, const ListOutcomes::Answer& page) { self.overdue_.saw(page); });
    }
    void ask(SelectInstances request) {
        ask(std::move(request), [](Previewing& self, SelectInstances::Answer page) {
            for (store::Due& due : self.overdue_.saw(std::move(page))) {
                self.due_.push_back(std::move(due));
            }
        });
    }

    /// What needs no closer look.
    [[nodiscard]] bool note_at_once(const store::Due& due) {
        if (!due.goes) return gone_.contains(due.mark.instance.run);
        if (due.is_needed()) {
            ++group_of(due.mark).still_needed;
        } else {
            note_going(due.mark);
        }
        return true;
    }

    /// A chain: how many of its executions are old.
    void look_at(const store::Due& due) {
        ListExecutions executions;
        executions.run = due.mark.instance.run;
        ask(executions, [](Previewing& self, const ListExecutions::Answer& list) {
            self.note_pruned(list);
            self.due_.pop_front();
        });
    }

    void note_going(const InstanceMark& mark) {
        RetentionPreview::Instances& group = group_of(mark);
        ++group.roots;
        if (group.ids.size() < examples_) group.ids.push_back(mark.instance.name.id);
        if (mark.old_executions > 0) gone_.insert(mark.instance.run);
    }

    [[nodiscard]] RetentionPreview::Instances& group_of(const InstanceMark& mark) {
        const Status outcome = mark.instance.status;
        auto [group, fresh] = instances_.try_emplace({mark.definition, outcome});
        if (fresh) {
            group->second.definition = mark.definition;
            group->second.outcome = outcome;
        }
        return group->second;
    }

    void note_pruned(const ListExecutions::Answer& list) {
        const store::Due& due = due_.front();
        std::uint64_t count = 0;
        for (std::size_t i = 0; i + 1 < list.size(); ++i) {
            const bool old =
                std::any_of(due.prunes.begin(), due.prunes.end(), [&](const Prune& part) {
                    return is_old(list, i, part.keep_last, part.ended_before);
                });
            if (old) ++count;
        }
        if (count == 0) return;
        auto& group = executions_[due.mark.definition];
        group.definition = due.mark.definition;
        ++group.chains;
        group.executions += count;
        if (group.ids.size() < examples_) group.ids.push_back(due.mark.instance.name.id);
    }

    [[nodiscard]] RetentionPreview result() {
        RetentionPreview preview;
        preview.as_of = overdue_.now();
        for (auto& [key, group] : instances_) preview.instances.push_back(std::move(group));
        for (auto& [key, group] : executions_) preview.executions.push_back(std::move(group));
        return preview;
    }

    const std::shared_ptr<Sender> sender_;
    store::Overdue overdue_;
    const std::uint32_t examples_;
    const Done<RetentionPreview> done_;
    Steps steps_;
    std::deque<store::Due> due_;
    std::set<RunRef> gone_;  ///< Chains that would go as a whole.
    std::map<std::pair<std::string, Status>, RetentionPreview::Instances> instances_;
    std::map<std::string, RetentionPreview::Executions> executions_;
    std::optional<Error> error_;
};

}  // namespace

void preview_retention(const std::shared_ptr<Sender>& sender,
                       const RetentionRequest& request,
                       Done<RetentionPreview> done) {
    find_overdue(
        sender,
        request,
        [sender, examples = request.examples(), done = std::move(done)](
            Result<store::Overdue> overdue) {
            if (!overdue) return done(overdue.error());
            std::make_shared<Previewing>(sender, std::move(*overdue), examples, done)->go_on();
        });
}

}  // namespace belay::client
