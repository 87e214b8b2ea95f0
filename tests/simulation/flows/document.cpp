#include "simulation/flows/document.hpp"

#include <algorithm>

namespace belay::sim {

namespace {

/// JSON, and a double-quoted text of YAML as well.
std::string quoted(const std::string& text) {
    std::string out("\"");
    for (const char one : text) {
        if (one == '"' || one == '\\') out += '\\';
        out += one;
    }
    out += '"';
    return out;
}

}  // namespace

Tree Tree::text(const std::string& text) {
    Tree tree;
    tree.kind_ = Kind::scalar;
    tree.scalar_ = quoted(text);
    return tree;
}

Tree Tree::number(long long number) {
    Tree tree;
    tree.kind_ = Kind::scalar;
    tree.scalar_ = std::to_string(number);
    return tree;
}

Tree Tree::truth(bool truth) {
    Tree tree;
    tree.kind_ = Kind::scalar;
    tree.scalar_ = truth ? "true" : "false";
    return tree;
}

Tree Tree::list(std::vector<Tree> items) {
    Tree tree;
    tree.kind_ = Kind::list;
    tree.values_ = std::move(items);
    return tree;
}

Tree Tree::texts(const std::vector<std::string>& texts) {
    std::vector<Tree> items;
    items.reserve(texts.size());
    for (const std::string& one : texts) items.push_back(text(one));
    return list(std::move(items));
}

Tree Tree::numbers(const std::vector<long long>& numbers) {
    std::vector<Tree> items;
    items.reserve(numbers.size());
    for (const long long one : numbers) items.push_back(number(one));
    return list(std::move(items));
}

Tree& Tree::set(std::string name, Tree value) {
    names_.push_back(std::move(name));
    values_.push_back(std::move(value));
    return *this;
}

std::string Tree::json() const {
    std::string out;
    write_json(out);
    return out;
}

std::string Tree::yaml() const {
    std::string out;
    write_yaml(out, 0);
    return out;
}

void Tree::write_json(std::string& out) const {
    if (kind_ == Kind::scalar) {
        out += scalar_;
        return;
    }
    out += kind_ == Kind::list ? "[" : "{";
    for (std::size_t i = 0; i < values_.size(); ++i) {
        if (i > 0) out += ", ";
        if (kind_ == Kind::map) out.append(quoted(names_[i])).append(": ");
        values_[i].write_json(out);
    }
    out += kind_ == Kind::list ? "]" : "}";
}

bool Tree::is_block() const {
    if (values_.empty()) return false;
    return kind_ == Kind::map ||
           std::ranges::any_of(values_, [](const Tree& one) { return one.kind_ != Kind::scalar; });
}

void Tree::write_yaml(std::string& out, std::size_t depth) const {
    for (std::size_t i = 0; i < values_.size(); ++i) {
        out.append(2 * depth, ' ');
        if (kind_ == Kind::map) {
            out.append(names_[i]).append(":");
        } else {
            out += "-";
        }
        if (values_[i].is_block()) {
            out += "\n";
            values_[i].write_yaml(out, depth + 1);
        } else {
            out += " ";
            values_[i].write_json(out);
            out += "\n";
        }
    }
}

}  // namespace belay::sim
