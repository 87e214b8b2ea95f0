// Instances that leave a store, and come into another.
#include "client/digest.hpp"
#include "client/handlers.hpp"
#include "document/check_names.hpp"
#include "document/document.hpp"
#include "model/annotations.hpp"
#include "store/blocking.hpp"
#include "store/history.hpp"

#include <algorithm>
#include <utility>
#include <variant>

namespace belay::client {

using document::Document;
using document::DocumentExecution;
using document::DocumentInstance;

namespace {

/// The most reads of an instance that changes while it is being read, and the most retries of an
/// import whose run key is taken.
constexpr int kMostTries = 3;

Error in_execution(ExecutionNo execution, const Error& error) {
    return Error(error.code(), "execution " + std::to_string(execution) + ": " + error.message());
}

DocumentInstance facts_of(InstanceInfo info) {
    DocumentInstance facts;
    facts.space = std::move(info.name.space);
    facts.id = std::move(info.name.id);
    facts.definition = std::move(info.definition);
    facts.version = std::move(info.version);
    facts.status = info.status;
    facts.owner = std::move(info.owner);
    facts.started_by = std::move(info.started_by);
    facts.labels = std::move(info.labels);
    facts.headers = std::move(info.headers);
    facts.created_at = info.created_at;
    facts.started_at = info.started_at;
    facts.ended_at = info.ended_at;
    facts.input = std::move(info.input);
    facts.outcome = std::move(info.outcome);
    facts.cancel = std::move(info.cancel);
    facts.cancel_deadline = info.cancel_deadline;
    facts.custom_status = std::move(info.custom_status);
    facts.custom_status_version = info.custom_status_version;
    return facts;
}

/// Reads the executions that are left. If there are fewer events than before, they have changed.
Result<std::vector<DocumentExecution>> read_executions(Store& from, RunRef run) {
    const Result<ListExecutions::Answer> listed = store::ask(from, ListExecutions{run});
    if (!listed) return listed.error();
    std::vector<DocumentExecution> executions;
    for (const ExecutionInfo& one : *listed) {
        auto turns = store::read_turns(from, run, one.execution, one.events);
        if (!turns) return in_execution(one.execution, turns.error());
        executions.push_back(DocumentExecution{
            one.execution, one.status, one.started_at, one.ended_at, std::move(*turns)});
    }
    return executions;
}

/// Reads the facts that are not with the instance itself.
Result<void> read_rest(Store& from, const InstanceInfo& info, DocumentInstance& facts) {
    Result<KeyValues::Answer> values = store::ask(from, KeyValues{info.run});
    if (!values) return values.error();
    facts.key_values = std::move(*values);
    const Result<ListChildren::Answer> children = store::ask(from, ListChildren{info.run});
    if (!children) return children.error();
    for (const InstanceBrief& child : *children) facts.children.push_back(child.name.id);
    if (!info.parent) return {};
    const Result<ReadInstance::Answer> parent =
        store::ask(from, ReadInstance{InstanceName(), info.parent->run});
    if (!parent) return parent.error();
    facts.parent = document::DocumentParent{
        *parent ? (*parent)->name.id : std::string(), info.parent->execution, info.parent->command};
    return {};
}

std::string hex_of(const Digest& digest) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    std::string text;
    for (const std::uint8_t byte : digest) {
        text += kDigits[byte >> 4U];
        text += kDigits[byte & 15U];
    }
    return text;
}

Result<void> read_document(Store& from, const InstanceInfo& info, DocumentInstance& facts) {
    if (!info.document) return {};
    Result<ReadDocument::Answer> kept =
        store::ask(from, ReadDocument{info.name.space, *info.document});
    if (!kept) return kept.error();
    if (*kept) {
        facts.document = document::DocumentText{hex_of(*info.document), std::move((*kept)->text)};
    }
    return {};
}

/// Bytes that are not those of the digest would be interpreted in the place of others.
Result<void> check_document(const DocumentInstance& facts) {
    if (!facts.document || facts.document->digest == hex_of(digest_of(facts.document->text))) {
        return {};
    }
    return Error(Errc::invalid_argument,
                 "instance.document.digest is not that of instance.document.text");
}

/// A document has values. Bytes that nobody has decoded would be taken for one after an import.
Result<void> check_readable(const DocumentInstance& facts) {
    const auto check = [&](const Payload& payload, const char* what) -> Result<void> {
        if (payload.flags == 0) return {};
        return Error(Errc::unreadable,
                     std::string(what) + " of '" + facts.id +
                         "' is compressed or encrypted, and is neither exported nor imported "
                         "without the coders and the keys that wrote it");
    };
    Result<void> fine =
        first_problem({check(facts.input, "the input"),
                       check(facts.outcome ? facts.outcome->output : Payload(), "the output"),
                       check(facts.custom_status.value_or(Payload()), "the custom status"),
                       check(facts.document ? facts.document->text : Payload(), "the document")});
    for (const auto& [key, value] : facts.key_values) {
        if (fine) fine = check(value, "a value of a key");
    }
    return fine;
}

/// True if nothing that a document would show happened to an instance between two reads.
bool unchanged(const InstanceInfo& before, const std::optional<InstanceInfo>& after) {
    return after && after->run == before.run && after->status == before.status &&
           after->execution == before.execution && after->position == before.position &&
           after->event_count == before.event_count;
}

/// Returns the fingerprint of the first input, if that is still known.
Digest first_input_digest(const Document& document) {
    const DocumentExecution& first = document.executions.front();
    if (first.execution == 1 && !first.turns.empty()) {
        for (const model::Event& event : first.turns.front()) {
            if (const auto* started = std::get_if<model::ExecutionStarted>(&event)) {
                return digest_of(started->input);
            }
        }
    }
    return digest_of(document.instance.input);
}

Import import_of(Document document) {
    Import part;
    part.input_digest = first_input_digest(document);
    DocumentInstance& facts = document.instance;
    part.instance.name = InstanceName{std::move(facts.space), std::move(facts.id)};
    part.instance.definition = std::move(facts.definition);
    part.instance.version = std::move(facts.version);
    part.instance.input = std::move(facts.input);
    part.instance.owner = std::move(facts.owner);
    part.instance.started_by = std::move(facts.started_by);
    part.instance.headers = std::move(facts.headers);
    part.instance.labels = std::move(facts.labels);
    part.outcome = std::move(*facts.outcome);
    part.cancel = std::move(facts.cancel);
    part.cancel_deadline = facts.cancel_deadline;
    part.created_at = facts.created_at;
    part.started_at = facts.started_at;
    part.ended_at = *facts.ended_at;
    part.custom_status = std::move(facts.custom_status);
    part.custom_status_version = facts.custom_status_version;
    part.key_values = std::move(facts.key_values);
    if (facts.document) {
        part.instance.document = digest_of(facts.document->text);
        part.document = std::move(facts.document->text);
    }
    for (DocumentExecution& one : document.executions) {
        ImportedExecution& execution = part.executions.emplace_back();
        execution.execution = one.execution;
        execution.started_at = one.started_at;
        execution.ended_at = one.ended_at.value_or(part.ended_at);
        for (const auto& turn : one.turns) {
            execution.history.push_back(model::encode_events(turn));
        }
    }
    return part;
}

Result<void> check_slash(const std::string& id) {
    if (id.find('/') == std::string::npos) return {};
    return Error(Errc::invalid_argument,
                 "the instance id '" + id +
                     "' has a '/', which is kept for the ids of children; an import is a root and "
                     "needs an id of its own");
}

}  // namespace

Result<std::string> answer(ServiceContext& context, const requests::Export& request) {
    const InstanceName& name = request.name;
    if (const Result<void> fine = context.check(name); !fine) return fine.error();
    Store& from = context.store;
    for (int tries = 0; tries < kMostTries; ++tries) {
        const Result<ReadInstance::Answer> found =
            store::ask(from, ReadInstance{name, std::nullopt});
        if (!found) return found.error();
        if (!*found) return no_such_instance(name);
        const InstanceInfo& info = **found;
        Document exported;
        exported.instance = facts_of(info);
        if (Result<void> read = read_rest(from, info, exported.instance); !read) {
            return read.error();
        }
        if (Result<void> read = read_document(from, info, exported.instance); !read) {
            return read.error();
        }
        Result<std::vector<DocumentExecution>> executions = read_executions(from, info.run);
        const Result<ReadInstance::Answer> again =
            store::ask(from, ReadInstance{name, std::nullopt});
        if (!again) return again.error();
        if (!unchanged(info, *again)) continue;
        if (const Result<void> fine = check_readable(exported.instance); !fine) return fine.error();
        if (!executions) return executions.error();
        exported.executions = std::move(*executions);
        return document::write_document(exported, request.layout);
    }
    return Error(Errc::busy, "instance '" + name.id + "' changes faster than it can be read");
}

Result<InstanceBrief> answer(ServiceContext& context, const requests::Import& request) {
    Result<Document> read = document::read_document(request.document, context.limits);
    if (!read) return read.error();
    DocumentInstance& facts = read->instance;
    if (!is_terminal(facts.status)) {
        return Error(Errc::still_running,
                     "instance '" + facts.id + "' was " + std::string(to_string(facts.status)) +
                         " when it was exported; only what has ended can be imported");
    }
    if (request.id) facts.id = *request.id;
    if (request.space) facts.space = *request.space;
    const Result<void> fine = first_problem(
        {context.check(InstanceName{facts.space, facts.id}),
         check_slash(facts.id),
         context.check("the definition", facts.definition),
         facts.version.empty() ? Result<void>() : context.check("the version", facts.version),
         facts.owner.empty() ? Result<void>() : context.check("the owner", facts.owner),
         context.check_optional("started_by", facts.started_by),
         context.check_optional("the request id", request.request_id),
         check_readable(facts),
         check_document(facts),
         model::check_labels(facts.labels, context.limits),
         model::check_headers(facts.headers, context.limits),
         document::check_event_names(*read, context.limits)});
    if (!fine) return fine.error();

    Import part = import_of(std::move(*read));
    part.request_id = request.request_id;
    for (int tries = 0;; ++tries) {
        part.instance.run =
            RunRef{shard_of(part.instance.name.id), context.sender->ids().run_key()};
        Result<InstanceBrief> done = detail::wait_for_answer<InstanceBrief>(
            [&](Done<InstanceBrief> tell) { context.commit(part, tell_brief(std::move(tell))); });
        if (done || done.error().code() != Errc::run_key_taken || tries == kMostTries) return done;
    }
}

}  // namespace belay::client
