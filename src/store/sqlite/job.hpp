// Requests to the writer: commits, claims, and now and then a check of the log.
#pragma once

#include "store/sqlite/tables.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <utility>

namespace belay::sqlite {

/// Called for a lease, with its holder and its length.
using Promised = std::function<void(std::uint64_t, Millis)>;

/// One request. Its pieces are atomic each. A group applies all pieces of all its requests in one
/// transaction.
class Job {
public:
    Job() = default;
    virtual ~Job() = default;
    Job(const Job&) = delete;
    Job& operator=(const Job&) = delete;

    [[nodiscard]] virtual std::size_t pieces() const = 0;
    /// True if its answer must wait for the disk. A lease need not survive a loss of power, because
    /// its holder has not survived it either.
    [[nodiscard]] virtual bool durable() const = 0;
    /// Called inside a transaction, and perhaps again after a rollback. Throws SqliteFailure.
    virtual void apply(std::size_t piece, Tables& tables, const StoreOptions& options) = 0;
    /// Visits the leases that it has given or extended, and their length.
    virtual void each_promise(const Promised& visit) const = 0;
    /// Called if this piece was not applied, whatever happened to the others.
    virtual void fail(std::size_t piece, const Error& error) = 0;
    /// Called once, last. With an error: nothing was applied, or that is unknown.
    virtual void answer(const std::optional<Error>& error) = 0;
};

class CommitJob final : public Job {
public:
    CommitJob(std::shared_ptr<const std::vector<Transition>> batch, Done<std::vector<Answer>> done)
        : batch_(std::move(batch)), answers_(batch_->size()), done_(std::move(done)) {}

    [[nodiscard]] std::size_t pieces() const override { return answers_.size(); }
    [[nodiscard]] bool durable() const override;
    void apply(std::size_t piece, Tables& tables, const StoreOptions& options) override;
    void each_promise(const Promised& visit) const override;
    void fail(std::size_t piece, const Error& error) override;
    void answer(const std::optional<Error>& error) override;

private:
    const std::shared_ptr<const std::vector<Transition>> batch_;
    std::vector<Answer> answers_;
    Done<std::vector<Answer>> done_;
};

/// A claim of runs or of activities.
template <class Request>
class ClaimJob final : public Job {
public:
    using Items = typename Request::Answer;
    ClaimJob(Request request, Done<Items> done)
        : request_(std::move(request)), done_(std::move(done)) {}

    [[nodiscard]] std::size_t pieces() const override { return 1; }
    [[nodiscard]] bool durable() const override { return false; }
    void apply(std::size_t piece, Tables& tables, const StoreOptions& options) override;
    void each_promise(const Promised& visit) const override {
        if (!items_.claimed.empty()) visit(request_.first_token.holder, request_.lease);
    }
    void fail(std::size_t, const Error& error) override { failed_ = error; }
    void answer(const std::optional<Error>& error) override;

private:
    const Request request_;
    Items items_;
    std::optional<Error> failed_;
    Done<Items> done_;
};

/// A job that writes nothing. It only needs the log to be on the disk, and the writer sees to that
/// before it applies anything.
class LogJob final : public Job {
public:
    using Then = std::function<void(const std::optional<Error>&)>;
    explicit LogJob(Then then) : then_(std::move(then)) {}

    [[nodiscard]] std::size_t pieces() const override { return 0; }
    [[nodiscard]] bool durable() const override { return false; }
    void apply(std::size_t, Tables&, const StoreOptions&) override {}
    void each_promise(const Promised&) const override {}
    void fail(std::size_t, const Error&) override {}
    void answer(const std::optional<Error>& error) override { then_(error); }

private:
    const Then then_;
};

}  // namespace belay::sqlite
