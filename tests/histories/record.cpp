// Records histories of this release: see README.md beside this.
#include "histories/flow_scenarios.hpp"
#include "histories/scenarios.hpp"

#include <exception>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>

namespace {

bool write(const std::filesystem::path& file, const std::string& text) {
    std::ofstream out(file, std::ios::binary);
    out << text;
    if (!out.flush()) {
        std::cerr << "cannot write " << file << "\n";
        return false;
    }
    std::cout << file.string() << "\n";
    return true;
}

}  // namespace

int main(int count, char** arguments) {
    try {
        if (count != 3) {
            std::cerr << "usage: belay-record-histories <release> <directory>\n";
            return 2;
        }
        const std::filesystem::path directory = arguments[2];
        for (const auto& [name, document] : belay::histories::record()) {
            const std::string file = std::string(arguments[1]) + "-" + name;
            if (!write(directory / (file + ".json"), document)) return 1;
            if (!name.starts_with("flow-")) continue;
            const std::string states = belay::histories::states_of(document);
            if (!write(directory / (file + ".states"), states)) return 1;
        }
        return 0;
    } catch (const std::exception& problem) {
        std::cerr << problem.what() << "\n";
        return 1;
    }
}
