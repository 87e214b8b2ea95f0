#include "cli/completion.hpp"

#include "cli/app.hpp"
#include "cli/commands/all.hpp"

namespace belay::cli {

namespace {

Exit run_completion(Context& context, const Arguments& arguments) {
    const std::string& shell = arguments.operand(0);
    if (shell == "bash") context.print(bash_completion(top_command()));
    if (shell == "zsh") context.print(zsh_completion(top_command()));
    if (shell == "fish") context.print(fish_completion(top_command()));
    return Exit::ok;
}

}  // namespace

Command completion_command() {
    return {
        .name = "completion",
        .summary = "Print a script by which a shell completes commands",
        .operands = {{.name = "SHELL", .help = "the shell", .choices = {"bash", "zsh", "fish"}}},
        .examples = {{"belay completion bash > /etc/bash_completion.d/belay", ""},
                     {"belay completion zsh > ~/.zfunc/_belay", "a directory of $fpath"},
                     {"belay completion fish > ~/.config/fish/completions/belay.fish", ""}},
        .run = run_completion,
    };
}

}  // namespace belay::cli
