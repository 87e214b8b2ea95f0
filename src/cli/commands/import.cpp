#include "cli/commands/all.hpp"
#include "cli/commands/input.hpp"
#include "cli/instance_view.hpp"
#include "cli/text.hpp"
#include <belay/store/memory.hpp>

#include <memory>

namespace belay::cli {

namespace {

/// Gives advice about a document, and not about a command line.
Problem import_problem(const std::string& path, const Error& error) {
    const Exit exit = exit_of(error.code());
    switch (error.code()) {
        case Errc::id_in_use:
            return {exit, error.message(), "--id NAME imports it under another one"};
        case Errc::still_running:
            return {exit,
                    error.message(),
                    "export it again when it has ended; until then it is for reading"};
        case Errc::invalid_argument:
        case Errc::limit_exceeded:
        case Errc::unsupported: return {exit, safe(path) + ": " + error.message()};
        default: return problem_of(error);
    }
}

/// Imports it into a store that nobody keeps: no file is made if the import fails.
void try_before_creation(Context& context,
                         const std::string& path,
                         const std::string& document,
                         const ImportOptions& options) {
    Clock& clock = context.terminal().clock;
    const std::unique_ptr<Store> trial = make_memory_store(clock);
    const auto done = Client(*trial, clock).import_instance(document, options);
    if (!done) throw import_problem(path, done.error());
}

Exit run_import(Context& context, const Arguments& arguments) {
    const std::string& path = arguments.operand(0);
    const std::string document = read_content(context, path);
    ImportOptions options;
    options.space(context.space()).request_id(arguments.value_or("request-id", ""));
    if (arguments.has("id")) options.id(arguments.value_or("id", ""));
    const bool create = arguments.has("create");
    if (create) try_before_creation(context, path, document, options);
    const Opening opening = create ? Opening::create : Opening::existing;
    const Result<InstanceBrief> done = context.client(opening).import_instance(document, options);
    if (!done) throw import_problem(path, done.error());
    if (context.json()) {
        JsonWriter line;
        line.open_object();
        write_brief(line, *done);
        line.field("deleted", done->deleted).close_object();
        context.print(line);
    } else if (!done->deleted) {
        context.print_line(safe(done->name.id) +
                           " imported: " + std::string(to_string(done->status)));
    }
    if (!done->deleted) return Exit::ok;
    throw Problem(
        Exit::refused,
        "'" + safe(done->name.id) + "' was imported by this request before, and was deleted since",
        "another --request-id imports it again");
}

}  // namespace

Command import_command() {
    return {
        .name = "import",
        .summary = "Put an exported instance into the store",
        .details =
            "Imports an instance that had ended when it was exported, with its history and its "
            "times, into the namespace of --space. It becomes a root, without children and without "
            "an idempotency key. A retention counts from its end. A repeat with the same "
            "--request-id is refused after the instance was deleted.",
        .operands = {{.name = "FILE",
                      .help = "a file that 'belay export' has written; - is the standard input",
                      .file = true}},
        .options = {{.name = "id",
                     .value = "ID",
                     .help = "the id in this store. Default: the id in the document"},
                    {.name = "create", .help = "create the file of the store if there is none"},
                    request_id_option()},
        .examples = {{"belay import order-7.json", ""},
                     {"belay export order-7 | belay import - --store sqlite:archive.db --create",
                      ""}},
        .run = run_import,
    };
}

}  // namespace belay::cli
