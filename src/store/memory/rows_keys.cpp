// Idempotency keys, requests, the remains of deleted runs, and retention settings.
#include "store/memory/table_rows.hpp"

#include <utility>

namespace belay::memory {

std::optional<KeyRow> TableRows::find_key(const KeyId& id) {
    const auto found = tables_.keys.find(id);
    return found == tables_.keys.end() ? std::nullopt : std::optional(found->second);
}

void TableRows::put_key(const KeyId& id, const KeyRow& row) {
    remove_key(tables_, id);
    if (row.until) tables_.keys_until.insert({*row.until, id});
    tables_.keys.emplace(id, row);
}

void TableRows::erase_key(const KeyId& id) { remove_key(tables_, id); }

std::vector<KeyId> TableRows::keys_past(std::uint32_t max) {
    std::vector<KeyId> found;
    for (const auto& [until, id] : tables_.keys_until) {
        if (until > now() || found.size() == max) break;
        found.push_back(id);
    }
    return found;
}

std::optional<store::Request> TableRows::find_request(const RequestKey& key) {
    const auto found = tables_.requests.find(key);
    if (found == tables_.requests.end() || found->second.until <= now()) return std::nullopt;
    return found->second;
}

void TableRows::put_request(const RequestKey& key, const store::Request& request, Timestamp until) {
    // An expired request may not have been swept yet.
    const auto [row, inserted] = tables_.requests.try_emplace(key);
    if (!inserted) tables_.requests_until.erase({row->second.until, key});
    static_cast<store::Request&>(row->second) = request;
    row->second.until = until;
    tables_.requests_until.insert({until, key});
}

std::uint64_t TableRows::erase_requests_past(std::uint32_t max) {
    return erase_past(tables_.requests_until, tables_.requests, now(), max);
}

std::optional<store::DeletedRun> TableRows::find_deleted_run(RunRef run) {
    const auto found = tables_.gone.find(run);
    if (found == tables_.gone.end()) return std::nullopt;
    return found->second;
}

void TableRows::put_deleted_run(const store::DeletedRun& gone, Timestamp until) {
    const RunRef run = gone.instance.run;
    tables_.gone.emplace(run, DeletedRun{gone, until});
    tables_.gone_until.insert({until, run});
}

std::uint64_t TableRows::erase_deleted_runs_past(std::uint32_t max) {
    return erase_past(tables_.gone_until, tables_.gone, now(), max);
}

void TableRows::put_retention(const SetRetention& part) {
    if (part.policy) {
        tables_.retention.insert_or_assign(
            part.space, StoredRetention{part.space, *part.policy, now(), part.by});
    } else {
        tables_.retention.erase(part.space);
    }
}

}  // namespace belay::memory
