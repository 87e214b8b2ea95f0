// belay-cli-files DIRECTORY: writes there the files that are installed beside the command line.
// They are the manual page and the completions of three shells. The build runs it.
#include "cli/app.hpp"
#include "cli/completion.hpp"
#include "cli/man_page.hpp"
#include <belay/version.hpp>

#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>

int main(int argc, char** argv) {
    if (argc != 2) {
        std::cerr << "usage: belay-cli-files DIRECTORY\n";
        return 2;
    }
    using namespace belay::cli;
    const std::filesystem::path directory(argv[1]);
    const auto write = [&directory](const char* name, const std::string& text) {
        std::ofstream file(directory / name, std::ios::binary);
        file << text << std::flush;
        if (!file) std::cerr << "belay-cli-files: cannot write " << directory / name << "\n";
        return static_cast<bool>(file);
    };
    const Command& top = top_command();
    const bool written = write("belay.1", man_page(top, belay::version())) &&
                         write("belay.bash", bash_completion(top)) &&
                         write("_belay", zsh_completion(top)) &&
                         write("belay.fish", fish_completion(top));
    return written ? 0 : 1;
}
