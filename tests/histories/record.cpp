// Records histories of this release: see README.md beside this.
#include "histories/scenarios.hpp"

#include <exception>
#include <filesystem>
#include <fstream>
#include <iostream>

int main(int count, char** arguments) {
    try {
        if (count != 3) {
            std::cerr << "usage: belay-record-histories <release> <directory>\n";
            return 2;
        }
        const std::filesystem::path directory = arguments[2];
        for (const auto& [name, document] : belay::histories::record()) {
            const auto file = directory / (std::string(arguments[1]) + "-" + name + ".json");
            std::ofstream out(file, std::ios::binary);
            out << document;
            if (!out.flush()) {
                std::cerr << "cannot write " << file << "\n";
                return 1;
            }
            std::cout << file.string() << "\n";
        }
        return 0;
    } catch (const std::exception& problem) {
        std::cerr << problem.what() << "\n";
        return 1;
    }
}
