#include "simulation/store/dump.hpp"

#include "model/encoding.hpp"
#include "simulation/world/large.hpp"

#include <algorithm>
#include <iterator>
#include <set>
#include <string_view>
#include <type_traits>
#include <variant>

namespace belay::sim {

namespace {

/// Puts a line together as the file has it: numbers without a sign as signed ones of the same bits.
class Line {
public:
    explicit Line(std::string_view table) : text_(table) {}

    Line& add(std::string_view value) {
        text_ += '|';
        text_ += value;
        return *this;
    }
    Line& add(const std::string& value) { return add(std::string_view(value)); }
    Line& add(Timestamp at) { return add(to_unix_ms(at)); }
    /// Only for labels, and no program has one of this type.
    Line& add(double value) { return add(std::to_string(value)); }
    Line& add(const Digest& digest) {
        return add(std::string_view(reinterpret_cast<const char*>(digest.data()), digest.size()));
    }
    template <class T>
        requires(std::is_integral_v<T> || std::is_enum_v<T>)
    Line& add(T value) {
        return add(std::string_view(std::to_string(static_cast<std::int64_t>(value))));
    }
    template <class T>
    Line& add(const std::optional<T>& value) {
        return value ? add(*value) : none();
    }
    Line& add(const Payload& payload) {
        return add(payload.codec).add(payload.flags).add(payload.bytes);
    }
    Line& none(std::size_t count = 1) {
        for (; count > 0; --count) add(std::string_view("-"));
        return *this;
    }
    [[nodiscard]] std::string take() { return std::move(text_); }

private:
    std::string text_;
};

std::string encoded(const Outcome& outcome) {
    model::Writer out;
    model::write(out, outcome);
    return out.take();
}

// ---- The memory store --------------------------------------------------------------------------

std::string run_line(const memory::Tables& tables, const memory::Run& run) {
    Line line("run");
    const auto named = tables.names.find(run.about.name);
    const bool former = named == tables.names.end() || named->second != run.ref;
    line.add(run.ref.key.value).add(run.ref.shard.value).add(run.status).add(run.execution);
    line.add(run.position).add(run.next_message).add(run.indexed.ready_at);
    line.add(run.plain_messages).add(run.last_sent).add(run.wants_turn_at).add(run.not_before);
    line.add(run.message_room).add(run.code_missing_since).add(run.overruns);
    if (run.lock) {
        line.add(run.lock->token.holder).add(run.lock->token.serial).add(run.lock->until);
        line.add(run.lock->cancel_seen).add(run.lock->worker);
    } else {
        line.none(3).add(0).none();
    }
    line.add(run.attempts).add(run.unregistered).add(run.held);
    if (run.waits_for) {
        line.add(run.waits_for->value);
    } else {
        line.none();
    }
    if (run.cancel) {
        line.add(run.cancel->source).add(run.cancel->requested_at).add(run.cancel->sequence);
        line.add(run.cancel->by).add(run.cancel->reason);
    } else {
        line.none(5);
    }
    line.add(run.cancel_deadline).add(run.unsettled_children).add(run.stopping).add(run.settled);
    line.add(run.started_at).add(run.ended_at).add(run.event_count).add(run.history_bytes);
    line.add(run.last_commit.high).add(run.last_commit.low).add(run.custom_status_version);
    line.add(former).add(run.about.name.space).add(run.about.name.id);
    if (run.about.parent) {
        line.add(run.about.parent->run.key.value).add(run.about.parent->run.shard.value);
        line.add(run.about.parent->execution).add(run.about.parent->command);
    } else {
        line.none(4);
    }
    const int kinship = !run.about.parent ? 0 : run.about.part ? 2 : 1;
    line.add(run.about.parent_close).add(kinship);
    line.add(run.created_at).add(run.started_by_commit.high).add(run.started_by_commit.low);
    line.add(run.about.definition).add(run.about.version).add(run.about.owner);
    line.add(run.about.started_by);
    if (run.key) {
        line.add(run.key->key);
    } else {
        line.none();
    }
    line.add(run.input_digest).add(run.held_detail).add(run.about.input);
    if (run.custom_status) {
        line.add(*run.custom_status);
    } else {
        line.none(3);
    }
    if (run.outcome) {
        line.add(encoded(*run.outcome));
    } else {
        line.none();
    }
    return line.take();
}

void dump_inbox(Dump& lines, const memory::Run& run) {
    for (const auto& [key, waiting] : run.inbox) {
        const NewMessage& content = waiting.content;
        Line line(waiting.timed ? "timer" : "message");
        line.add(run.ref.key.value).add(key.second).add(key.first);
        if (!waiting.timed) line.add(waiting.ready_from);
        line.add(content.kind).add(content.execution).add(content.command).add(content.name);
        line.add(content.payload);
        if (waiting.timed && waiting.timer) {
            line.add(waiting.timer->first).add(waiting.timer->second);
        } else if (waiting.timed) {
            line.none(2);
        }
        lines.push_back(line.take());
    }
}

void dump_run(Dump& lines, const memory::Tables& tables, const memory::Run& run) {
    const std::uint64_t key = run.ref.key.value;
    lines.push_back(run_line(tables, run));
    for (const memory::Execution& execution : run.executions) {
        const ExecutionInfo& info = execution.info;
        if (&execution != &run.executions.back()) {
            lines.push_back(Line("execution")
                                .add(key)
                                .add(info.execution)
                                .add(info.events)
                                .add(info.started_at)
                                .add(info.ended_at)
                                .take());
        }
        for (const RecordedRow& row : execution.history) {
            lines.push_back(Line("history")
                                .add(key)
                                .add(info.execution)
                                .add(row.first_event)
                                .add(row.row.count)
                                .add(row.row.format)
                                .add(row.row.bytes)
                                .take());
        }
    }
    dump_inbox(lines, run);
    for (const auto& [name, value] : run.about.labels) {
        Line line("label");
        line.add(key).add(name).add(value.index() + 1);
        std::visit([&](const auto& held) { line.add(held); }, value);
        lines.push_back(line.take());
    }
    for (const auto& [name, value] : run.key_values) {
        lines.push_back(Line("key_value").add(key).add(name).add(value).take());
    }
}

// As in store/sqlite/payloads.hpp, which is not for others to see.
constexpr std::size_t kInlineBytes = 4096;
static_assert(kLargeBytes > kInlineBytes);
enum class LargePart : std::uint8_t { input = 1, custom_status = 2, outcome = 3, activity = 4 };

/// The file keeps long payloads apart, for as long as they belong to something.
void dump_large(Dump& lines,
                RunRef run,
                LargePart part,
                const std::string& bytes,
                ExecutionNo execution = 0,
                CommandNo command = 0) {
    if (bytes.size() <= kInlineBytes) return;
    Line line("large");
    line.add(run.key.value).add(part).add(execution).add(command);
    lines.push_back(line.take());
}

void dump_large(Dump& lines, const memory::Tables& tables) {
    for (const auto& [ref, run] : tables.runs) {
        dump_large(lines, ref, LargePart::input, run.about.input.bytes);
        if (run.custom_status) {
            dump_large(lines, ref, LargePart::custom_status, run.custom_status->bytes);
        }
        if (run.outcome) dump_large(lines, ref, LargePart::outcome, encoded(*run.outcome));
    }
    for (const auto& [ref, row] : tables.activities) {
        const std::string& bytes = row.about.input.bytes;
        dump_large(lines, ref.run, LargePart::activity, bytes, ref.execution, ref.command);
    }
}

std::string line_of(const memory::Activity& activity) {
    Line line("activity");
    line.add(activity.ref.run.key.value).add(activity.ref.execution).add(activity.ref.command);
    line.add(activity.ref.run.shard.value).add(activity.visible_at);
    if (activity.token) {
        line.add(activity.token->holder).add(activity.token->serial).add(activity.leased_until);
    } else {
        line.none(3);
    }
    line.add(activity.worker).add(activity.attempt).add(activity.unregistered);
    line.add(activity.about.shielded).add(-static_cast<std::int64_t>(activity.about.priority));
    line.add(activity.about.queue).add(activity.about.name).add(activity.about.fairness_key);
    line.add(activity.about.schedule_to_start);
    if (activity.about.start_to_close) {
        line.add(activity.about.start_to_close->count());
    } else {
        line.none();
    }
    if (activity.about.heartbeat_timeout) {
        line.add(activity.about.heartbeat_timeout->count());
    } else {
        line.none();
    }
    if (activity.about.session.empty()) {
        line.none();
    } else {
        line.add(activity.about.session);
    }
    line.add(activity.about.input);
    if (activity.progress) {
        line.add(activity.progress_at).add(*activity.progress);
    } else {
        line.none(4);
    }
    return line.take();
}

/// As migration 0020 says: every run is in its blocks, and nothing else is.
void dump_blocks(Dump& lines, const memory::Tables& tables) {
    std::set<std::string> blocks;
    for (const auto& [ref, run] : tables.runs) {
        const std::uint64_t block = ref.key.value >> 24;
        const auto add = [&](int kind, const std::string& value, std::int64_t at) {
            Line line("run_block");
            line.add(run.about.name.space).add(kind).add(value).add(at).add(block);
            blocks.insert(line.take());
        };
        add(1, run.about.definition, 0);
        if (!run.about.version.empty()) add(2, run.about.version, 0);
        add(3, run.about.owner, 0);
        add(4, "", to_unix_ms(run.created_at) >> 2);
        if (run.ended_at) {
            add(10 + static_cast<int>(run.status), "", to_unix_ms(*run.ended_at) >> 2);
        }
    }
    lines.insert(lines.end(), blocks.begin(), blocks.end());
}

void dump_rest(Dump& lines, const memory::Tables& tables) {
    for (const auto& [id, row] : tables.keys) {
        const auto& [space, owner, definition, key] = id;
        Line line("idempotency_key");
        line.add(space).add(owner).add(definition).add(key).add(row.scope).add(row.until);
        line.add(row.run.key.value).add(row.run.shard.value).add(row.id);
        line.add(row.digest).add(row.deleted);
        if (row.deleted) {
            line.add(row.last_status);
        } else {
            line.none();
        }
        lines.push_back(line.take());
    }
    for (const auto& [key, row] : tables.requests) {
        Line line("request");
        line.add(key.first).add(key.second).add(row.part).add(row.target).add(row.digest);
        line.add(row.instance.run.key.value).add(row.instance.name.id).add(row.instance.status);
        line.add(row.instance.deleted).add(row.changed).add(row.deleted.instances);
        line.add(row.deleted.executions).add(row.deleted.events).add(row.deleted.messages);
        line.add(row.until);
        lines.push_back(line.take());
    }
    for (const auto& [run, row] : tables.gone) {
        Line line("gone");
        line.add(run.key.value).add(run.shard.value).add(row.started_by_commit.high);
        line.add(row.started_by_commit.low).add(row.instance.name.space).add(row.instance.name.id);
        line.add(row.instance.status).add(row.until);
        lines.push_back(line.take());
    }
    for (const auto& [key, row] : tables.stopping) {
        const auto& [activity, token] = key;
        Line line("stopping");
        line.add(activity.run.key.value).add(activity.execution).add(activity.command);
        line.add(token.holder).add(token.serial).add(activity.run.shard.value);
        line.add(row.worker).add(row.until).add(row.queue).add(row.fairness_key);
        lines.push_back(line.take());
    }
    for (const auto& [key, session] : tables.sessions) {
        Line line("session");
        line.add(key.first).add(key.second).add(session.holder).add(session.worker);
        lines.push_back(line.add(session.until).add(session.idle.count()).take());
    }
    for (const auto& [id, letter] : tables.dead_letters) {
        lines.push_back(Line("dead_letter")
                            .add(letter.run.key.value)
                            .add(letter.message.kind)
                            .add(letter.message.name)
                            .add(letter.message.payload)
                            .add(letter.at)
                            .take());
    }
}

void dump_output(Dump& lines, const memory::Tables& tables) {
    for (const auto& [run, output] : tables.output) {
        const std::uint64_t key = run.key.value;
        const store::RunOutput& all = output.all;
        lines.push_back(
            Line("output").add(key).add(all.next).add(all.bytes).add(all.left_out_attempts).take());
        for (const auto& [attempt, one] : output.attempts) {
            const store::AttemptRow& row = one.row;
            Line line("output_attempt");
            line.add(key).add(row.id).add(attempt.execution).add(attempt.first);
            line.add(attempt.command).add(attempt.attempt).add(row.source);
            line.add(row.token.holder).add(row.token.serial).add(row.taken);
            line.add(row.first_bytes).add(row.last_bytes).add(row.end_from);
            line.add(row.left_out_bytes).add(row.left_out_lines).add(row.left_out_to);
            lines.push_back(line.take());
        }
        for (const auto& [number, chunk] : output.chunks) {
            const OutputChunk& one = chunk.content;
            Line line("output_chunk");
            line.add(key).add(number).add(output.attempts.at(chunk.attempt).row.id);
            line.add(one.stream).add(one.at).add(one.bytes).add(one.lines).add(one.text);
            lines.push_back(line.take());
        }
    }
}

// ---- The file ----------------------------------------------------------------------------------

constexpr const char* kTables[] = {
    "select 'run', key, shard, status, execution, position, next_message, ready_at,"
    " plain_messages, last_sent, wants_turn_at, not_before, message_room, code_missing_since, "
    "overruns, "
    "lock_holder, lock_serial, lock_until,"
    " lock_cancel_seen, lock_worker, attempts, unregistered, held, waits_for, cancel_source,"
    " cancel_at, cancel_sequence, cancel_by, cancel_reason, cancel_deadline, unsettled_children,"
    " stopping, settled, started_at, ended_at, event_count, history_bytes, commit_high,"
    " commit_low, custom_version, former <> 0, space, id, parent_key, parent_shard,"
    " parent_execution, parent_command, parent_close, child, created_at, start_high, start_low, "
    "definition, version,"
    " owner, started_by, idempotency_key, digest, coalesce(held_detail, ''), input_codec,"
    " input_flags, coalesce(input, (select bytes from large where run = key and part = 1)),"
    " custom_codec, custom_flags,"
    " coalesce(custom, (select bytes from large where run = key and part = 2)),"
    " coalesce(ended_as, (select bytes from large where run = key and part = 3)) from run",

    "select 'execution', run, execution, events, started_at, ended_at from execution",
    "select 'history', run, execution, first_event, count, format, bytes from history",
    "select 'message', run, number, sent_at, ready_from, kind, execution, command, name, codec,"
    " flags, bytes from message",
    "select 'timer', run, number, due_at, kind, execution, command, name, codec, flags, bytes,"
    " timer_execution, timer_command from timer",
    "select 'label', run, name, kind, value from label",
    "select 'run_block', space, kind, value, at, block from run_block",
    "select 'key_value', run, key, codec, flags, bytes from key_value",

    "select 'activity', run, execution, command, shard, visible_at, holder, serial,"
    " case when holder is not null then leased_until end, worker, attempt, unregistered, shielded,"
    " rank, queue, name, fairness_key, schedule_to_start, start_to_close, heartbeat_timeout,"
    " session, a.codec, a.flags,"
    " coalesce(a.bytes, (select l.bytes from large l where l.run = a.run and l.part = 4"
    " and l.execution = a.execution and l.command = a.command)),"
    " progress_at, p.codec, p.flags, p.bytes"
    " from activity a left join progress p using (run, execution, command)",

    "select 'large', run, part, execution, command from large",

    "select 'idempotency_key', space, owner, definition, key, scope, until, run, shard, id,"
    " digest, deleted, case when deleted then last_status end from idempotency_key",
    "select 'request', space, request, part, target, digest, run, id, status, deleted, changed,"
    " instances, executions, events, messages, until from request",
    "select 'gone', run, shard, start_high, start_low, space, id, status, until from gone",
    "select 'stopping', run, execution, command, holder, serial, shard, worker, until,"
    " queue, fairness_key from stopping",
    "select 'session', space, name, holder, worker, until, idle from session",
    "select 'output', run, next, bytes, left_out from output",
    "select 'output_attempt', run, id, execution, first, command, attempt, source, holder, serial,"
    " taken, first_bytes, last_bytes, end_from, left_out_bytes, left_out_lines, left_out_to"
    " from output_attempt",
    "select 'output_chunk', run, number, attempt, stream, at, size, lines, codec, flags, bytes"
    " from output_chunk",
    "select 'dead_letter', run, kind, name, codec, flags, bytes, at from dead_letter",
};

std::string line_of(sqlite3_stmt* row) {
    Line line(reinterpret_cast<const char*>(sqlite3_column_text(row, 0)));
    for (int i = 1; i < sqlite3_column_count(row); ++i) {
        switch (sqlite3_column_type(row, i)) {
            case SQLITE_NULL: line.none(); break;
            case SQLITE_INTEGER: line.add(sqlite3_column_int64(row, i)); break;
            default: {
                const auto* bytes = static_cast<const char*>(sqlite3_column_blob(row, i));
                const auto size = static_cast<std::size_t>(sqlite3_column_bytes(row, i));
                line.add(size == 0 ? std::string_view() : std::string_view(bytes, size));
            }
        }
    }
    return line.take();
}

}  // namespace

std::string readable(std::string text) {
    for (char& one : text) {
        if (one < ' ' || one > '~') one = '.';
    }
    return text;
}

Dump dump(const memory::Tables& tables) {
    Dump lines;
    for (const auto& [ref, run] : tables.runs) dump_run(lines, tables, run);
    for (const auto& [ref, activity] : tables.activities) lines.push_back(line_of(activity));
    dump_large(lines, tables);
    dump_blocks(lines, tables);
    dump_rest(lines, tables);
    dump_output(lines, tables);
    std::sort(lines.begin(), lines.end());
    return lines;
}

std::optional<Dump> dump(sqlite3* db) {
    Dump lines;
    for (const char* sql : kTables) {
        sqlite3_stmt* statement = nullptr;
        int code = sqlite3_prepare_v2(db, sql, -1, &statement, nullptr);
        while (code == SQLITE_OK || code == SQLITE_ROW) {
            code = sqlite3_step(statement);
            if (code == SQLITE_ROW) lines.push_back(line_of(statement));
        }
        sqlite3_finalize(statement);
        if (code != SQLITE_DONE) return std::nullopt;
    }
    std::sort(lines.begin(), lines.end());
    return lines;
}

std::string difference(const Dump& left, const Dump& right) {
    constexpr std::size_t kShown = 3;
    std::string text;
    const auto add = [&](const char* side, const Dump& more, const Dump& less) {
        Dump only;
        std::set_difference(
            more.begin(), more.end(), less.begin(), less.end(), std::back_inserter(only));
        for (std::size_t i = 0; i < std::min(only.size(), kShown); ++i) {
            text += std::string("\n    ") + side + " " + readable(only[i]);
        }
    };
    add("only expected:", left, right);
    add("only found:   ", right, left);
    return text;
}

}  // namespace belay::sim
