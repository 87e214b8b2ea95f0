#include "cli/commands/all.hpp"
#include "cli/context.hpp"
#include <belay/store/sqlite/examine.hpp>
#include <belay/version.hpp>

namespace belay::cli {

namespace {

Exit run_version(Context& context, const Arguments&) {
    if (context.json()) {
        JsonWriter document;
        document.open_object()
            .field("version", version())
            .field("sqlite_schema", sqlite::known_schema_version())
            .close_object();
        context.print(document);
    } else {
        context.print_line(std::string("belay ") + version());
    }
    return Exit::ok;
}

}  // namespace

Command version_command() {
    return {.name = "version",
            .summary = "Print the release",
            .examples = {{"belay version", ""}},
            .run = run_version};
}

}  // namespace belay::cli
