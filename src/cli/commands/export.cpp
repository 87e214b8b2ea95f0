#include "cli/commands/all.hpp"
#include "cli/commands/input.hpp"
#include "cli/output_file.hpp"
#include "cli/text.hpp"

namespace belay::cli {

namespace {

Exit run_export(Context& context, const Arguments& arguments) {
    const InstanceName name = context.name(arguments.operand(0));
    const std::string path = arguments.value_or("output", "-");
    const bool to_file = path != "-";
    const ExportLayout layout =
        context.json() && !to_file ? ExportLayout::one_line : ExportLayout::indented;
    const std::string document = or_throw(context.client().export_instance(name, layout));
    if (!to_file) {
        context.print(document);
        return Exit::ok;
    }
    if (replaces_file(path)) {
        context.confirm(arguments, "'" + safe(path) + "' is there. Write over it?");
    }
    write_file(path, document);
    if (context.json()) {
        JsonWriter line;
        line.open_object().field("id", name.id).field("space", name.space);
        line.field("file", path).field("bytes", document.size()).close_object();
        context.print(line);
    } else {
        context.print_line(safe(name.id) + " is in " + safe(path));
    }
    return Exit::ok;
}

}  // namespace

Command export_command() {
    return {
        .name = "export",
        .summary = "Write an instance with its whole history as JSON",
        .details =
            "'belay import' puts the document into another store, once the instance has ended. "
            "The document names the children and does not contain them. With --json it is one "
            "line.",
        .operands = {id_operand()},
        .options = {{.name = "output",
                     .value = "FILE",
                     .help = "the file to write. Default: the document is printed",
                     .file = true},
                    yes_option()},
        .examples = {{"belay export order-7 --output order-7.json", ""},
                     {"belay export order-7 | jq -c '.executions[].turns[][]'", "its events"}},
        .run = run_export,
    };
}

}  // namespace belay::cli
