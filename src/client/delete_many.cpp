// Deletion of many instances.
#include "client/bulk.hpp"
#include "client/bulk_removal.hpp"

#include <utility>

namespace belay::client {

namespace {

class BulkDelete final : public Bulk {
public:
    BulkDelete(const std::shared_ptr<Sender>& sender,
               InstanceMatch match,
               std::uint32_t limit,
               Done<DeleteInstanceResult> done)
        : Bulk(sender, Selection::of_ended(std::move(match), sender->store().now()), limit),
          done_(std::move(done)) {}

private:
    [[nodiscard]] bool wanted(const InstanceMark&) override { return true; }

    [[nodiscard]] Transition change(const InstanceMark& one) override {
        Delete part;
        part.name = one.instance.name;
        // The run that was chosen, and not a namesake that nobody looked at. It had ended already.
        part.run = one.instance.run;
        return sender().prepare(std::move(part));
    }

    [[nodiscard]] Next note(const InstanceMark&, const Answer& answer) override {
        counts_.instances += answer.deleted.instances;
        counts_.executions += answer.deleted.executions;
        counts_.events += answer.deleted.events;
        counts_.messages += answer.deleted.messages;
        return Next::changed;
    }

    void finish(const std::optional<Error>& error) override {
        error ? done_(*error) : done_(counts_);
    }

    const Done<DeleteInstanceResult> done_;
    DeleteInstanceResult counts_;
};

}  // namespace

void delete_many(const std::shared_ptr<Sender>& sender,
                 requests::DeleteMany request,
                 Done<DeleteInstanceResult> done) {
    const std::uint32_t limit = request.limit.value_or(sender->policy().bulk_limit);
    std::make_shared<BulkDelete>(sender, std::move(request.match), limit, std::move(done))
        ->advance();
}

}  // namespace belay::client
