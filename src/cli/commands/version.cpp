#include "cli/commands/all.hpp"
#include "cli/context.hpp"
#include "store/sqlite/examine.hpp"

namespace belay::cli {

namespace {

Exit run_version(Context& context, const Arguments&) {
    if (context.json()) {
        JsonWriter document;
        document.open_object()
            .field("version", BELAY_VERSION)
            .field("sqlite_schema", sqlite::known_schema_version())
            .close_object();
        context.print(document);
    } else {
        context.print_line(std::string("belay ") + BELAY_VERSION);
    }
    return Exit::ok;
}

}  // namespace

Command version_command() {
    return {.name = "version",
            .summary = "Print which release this is",
            .examples = {{"belay version", ""}},
            .run = run_version};
}

}  // namespace belay::cli
