// A document that is made by chance, and written as JSON or as YAML.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace belay::sim {

/// A scalar, a list, or a map whose fields keep their order.
class Tree {
public:
    /// A map without fields.
    Tree() = default;
    [[nodiscard]] static Tree text(const std::string& text);
    [[nodiscard]] static Tree number(long long number);
    [[nodiscard]] static Tree truth(bool truth);
    [[nodiscard]] static Tree list(std::vector<Tree> items);
    [[nodiscard]] static Tree texts(const std::vector<std::string>& texts);
    [[nodiscard]] static Tree numbers(const std::vector<long long>& numbers);

    /// Adds a field of a map.
    Tree& set(std::string name, Tree value);
    Tree& set(std::string name, const std::string& value) {
        return set(std::move(name), text(value));
    }

    [[nodiscard]] std::string json() const;
    /// In block style; lists of scalars in flow style.
    [[nodiscard]] std::string yaml() const;

private:
    enum class Kind : unsigned char { map, list, scalar };

    [[nodiscard]] bool is_block() const;
    void write_json(std::string& out) const;
    void write_yaml(std::string& out, std::size_t depth) const;

    Kind kind_ = Kind::map;
    std::string scalar_;
    std::vector<Tree> values_;  ///< Items, or the values of fields.
    std::vector<std::string> names_;
};

}  // namespace belay::sim
