// Everything known of one instance, or of several at once.
#include "client/handlers.hpp"
#include <belay/detail/mutex.hpp>

#include <utility>

namespace belay::client {

namespace {

/// A run is known by its key; the name is for the error, and may be missing.
Result<void> check_target(const ServiceContext& context,
                          const InstanceName& name,
                          const std::optional<RunRef>& run) {
    const bool unnamed = run && name == InstanceName();
    return unnamed ? Result<void>() : context.check(name);
}

/// Gathers the key-values of several runs, and answers when it has the last. Safe from any thread:
/// the store may answer on any.
class ValuesOfMany : public std::enable_shared_from_this<ValuesOfMany> {
public:
    ValuesOfMany(requests::InspectMany::Answer found, Done<requests::InspectMany::Answer> done)
        : done_(std::move(done)), found_(std::move(found)) {}

    void read(Store& store, const requests::InspectMany& request) {
        std::vector<std::pair<std::size_t, RunRef>> wanted;
        {
            const detail::MutexLock lock(mutex_);
            for (std::size_t i = 0; i < found_.size(); ++i) {
                if (!request.instances[i].values || !found_[i]) continue;
                wanted.emplace_back(i, found_[i]->info.run);
            }
            missing_ = wanted.size() + 1;
        }
        for (const auto& [index, run] : wanted) {
            store.read(KeyValues{run},
                       [self = shared_from_this(), at = index](Result<RunValues> values) {
                           self->take(at, std::move(values));
                       });
        }
        take_one();
    }

private:
    void take(std::size_t index, Result<RunValues> values) {
        {
            const detail::MutexLock lock(mutex_);
            if (values) {
                found_[index]->values = std::move(*values);
            } else {
                error_ = values.error();
            }
        }
        take_one();
    }
    void take_one() {
        std::optional<Result<requests::InspectMany::Answer>> answer;
        {
            const detail::MutexLock lock(mutex_);
            if (--missing_ > 0) return;
            if (error_) {
                answer.emplace(*error_);
            } else {
                answer.emplace(std::move(found_));
            }
        }
        done_(std::move(*answer));
    }

    const Done<requests::InspectMany::Answer> done_;
    detail::Mutex mutex_;
    requests::InspectMany::Answer found_ BELAY_GUARDED_BY(mutex_);
    std::size_t missing_ BELAY_GUARDED_BY(mutex_) = 0;
    std::optional<Error> error_ BELAY_GUARDED_BY(mutex_);
};

requests::InspectMany::Answer inspected(ReadInstances::Answer found) {
    requests::InspectMany::Answer answer;
    answer.reserve(found.size());
    for (ReadInstance::Answer& one : found) {
        answer.emplace_back();
        if (one) answer.back().emplace(InspectedRun{std::move(*one)});
    }
    return answer;
}

}  // namespace

void begin(const ContextPtr& context, requests::Inspect request, Done<InstanceInfo> done) {
    const Result<void> fine = check_target(*context, request.name, request.run);
    if (!fine) return done(fine.error());
    ReadInstance read{request.name, request.run};
    context->store.read(std::move(read),
                        [name = std::move(request.name),
                         done = std::move(done)](Result<ReadInstance::Answer> found) {
                            if (!found) return done(found.error());
                            if (!*found) return done(no_such_instance(name));
                            done(std::move(**found));
                        });
}

void begin(const ContextPtr& context,
           const requests::InspectMany& request,
           Done<requests::InspectMany::Answer> done) {
    if (request.instances.size() > requests::InspectMany::kMost) {
        return done(Error(Errc::limit_exceeded,
                          std::to_string(request.instances.size()) +
                              " instances are inspected at once; at most " +
                              std::to_string(requests::InspectMany::kMost) + " are allowed"));
    }
    ReadInstances read;
    bool with_values = false;
    for (const requests::InspectMany::One& one : request.instances) {
        if (Result<void> fine = check_target(*context, one.name, one.run); !fine) {
            return done(fine.error());
        }
        read.instances.push_back(ReadInstance{one.name, one.run});
        with_values |= one.values;
    }
    if (!with_values) {
        return context->store.read(std::move(read),
                                   [done = std::move(done)](Result<ReadInstances::Answer> found) {
                                       if (!found) return done(found.error());
                                       done(inspected(std::move(*found)));
                                   });
    }
    context->store.read(
        std::move(read),
        [context, request, done = std::move(done)](Result<ReadInstances::Answer> found) {
            if (!found) return done(found.error());
            const auto values = std::make_shared<ValuesOfMany>(inspected(std::move(*found)), done);
            values->read(context->store, request);
        });
}

}  // namespace belay::client
