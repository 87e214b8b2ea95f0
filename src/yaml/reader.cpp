#include "yaml/reader.hpp"

#include "base/utf8.hpp"
#include "yaml/scalar.hpp"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

namespace belay::yaml {

namespace {

/// Ends the parser from within a handler. Caught by `read`.
struct Stop {
    Mistake mistake;
};

constexpr std::string_view kCore = "tag:yaml.org,2002:";
constexpr std::string_view kText = "tag:yaml.org,2002:str";
constexpr std::string_view kList = "tag:yaml.org,2002:seq";
constexpr std::string_view kMap = "tag:yaml.org,2002:map";

/// Returns where a text is not UTF-8.
std::optional<std::size_t> find_bad_byte(std::string_view text) {
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t size = base::utf8_sequence(text.substr(at));
        if (size == 0) return at;
        at += size;
    }
    return std::nullopt;
}

/// Turns positions in bytes into places.
class Places {
public:
    explicit Places(std::string_view text) : text_(text) {
        lines_.push_back(0);
        for (std::size_t at = 0; at < text.size(); ++at) {
            if (text[at] == '\n') lines_.push_back(at + 1);
        }
    }

    /// `column` counts bytes.
    [[nodiscard]] Place at(std::size_t line, std::size_t column) const {
        if (line >= lines_.size()) line = lines_.size() - 1;
        const std::string_view rest = text_.substr(lines_[line]).substr(0, column);
        std::uint32_t characters = 0;
        for (const char c : rest) {
            if ((static_cast<unsigned char>(c) & 0xC0U) != 0x80U) ++characters;
        }
        return {static_cast<std::uint32_t>(line) + 1, characters + 1};
    }
    [[nodiscard]] Place of(const YAML::Mark& mark) const {
        if (mark.is_null()) return {};
        return at(static_cast<std::size_t>(mark.line), static_cast<std::size_t>(mark.column));
    }
    [[nodiscard]] Place of_byte(std::size_t byte) const {
        std::size_t line = lines_.size() - 1;
        while (lines_[line] > byte) --line;
        return at(line, byte - lines_[line]);
    }
    /// True if the scalar stands at this place as it is.
    [[nodiscard]] bool stands_at(const YAML::Mark& mark, std::string_view scalar) const {
        const auto line = static_cast<std::size_t>(mark.line);
        if (mark.is_null() || line >= lines_.size()) return false;
        const std::size_t byte = lines_[line] + static_cast<std::size_t>(mark.column);
        return byte <= text_.size() && text_.substr(byte).starts_with(scalar);
    }

private:
    std::string_view text_;
    std::vector<std::size_t> lines_;
};

/// Builds the tree from the parser's events.
class Builder final : public YAML::EventHandler {
public:
    explicit Builder(const Places& places) : places_(places) {}

    void OnDocumentStart(const YAML::Mark& /*mark*/) override {}
    void OnDocumentEnd() override {}

    void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
        Value node;
        node.place = places_.of(mark);
        add(std::move(node), anchor);
    }

    void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
        const auto found = anchors_.find(anchor);
        if (found == anchors_.end()) {
            stop(places_.of(mark), "an alias cannot stand inside of what it stands for");
        }
        Value copy = found->second;
        copy.place = places_.of(mark);
        count_all(copy, copy.place);
        count_text(copy.text, copy.place);
        add(std::move(copy), 0);
    }

    void OnScalar(const YAML::Mark& mark,
                  const std::string& tag,
                  YAML::anchor_t anchor,
                  const std::string& value) override {
        Value node;
        node.kind = Kind::text;
        node.place = places_.of(mark);
        node.text = value;
        if (tag == "?") {
            node.plain = places_.stands_at(mark, value);
            if (auto wrong = resolve(node)) stop(node.place, std::move(*wrong));
        } else if (tag != "!" && tag != kText) {
            resolve_tagged(node, tag);
        }
        add(std::move(node), anchor);
    }

    void OnSequenceStart(const YAML::Mark& mark,
                         const std::string& tag,
                         YAML::anchor_t anchor,
                         YAML::EmitterStyle::value /*style*/) override {
        open(Kind::list, mark, tag, anchor);
    }
    void OnSequenceEnd() override { close(); }
    void OnMapStart(const YAML::Mark& mark,
                    const std::string& tag,
                    YAML::anchor_t anchor,
                    YAML::EmitterStyle::value /*style*/) override {
        open(Kind::map, mark, tag, anchor);
    }
    void OnMapEnd() override { close(); }

    [[nodiscard]] std::optional<Value>& root() noexcept { return root_; }

private:
    /// A list or a map that is not complete yet.
    struct Open {
        Value node;
        YAML::anchor_t anchor = 0;
        bool has_key = false;                     ///< map: the next value belongs to the last key
        std::unordered_set<std::string> names{};  ///< map: the keys so far
    };

    [[noreturn]] static void stop(Place place, std::string message) {
        throw Stop{{place, std::move(message)}};
    }

    void resolve_tagged(Value& node, const std::string& tag) {
        const std::string_view name = std::string_view(tag).starts_with(kCore)
                                          ? std::string_view(tag).substr(kCore.size())
                                          : std::string_view();
        const Kind wanted = name == "int"     ? Kind::integer
                            : name == "float" ? Kind::real
                            : name == "bool"  ? Kind::boolean
                                              : Kind::null;
        if (wanted == Kind::null) stop(node.place, "unknown tag " + base::printable(tag, 60));
        if (auto wrong = resolve(node)) stop(node.place, std::move(*wrong));
        if (wanted == Kind::real && node.kind == Kind::integer) {
            node.kind = Kind::real;
            node.real = static_cast<double>(node.integer);
        }
        if (node.kind != wanted) {
            stop(node.place,
                 "\"" + base::printable(node.text, 40) + "\" is not " +
                     std::string(to_string(wanted)));
        }
    }

    void count(Place place) {
        if (++nodes_ > kMostNodes) {
            stop(place, "the document has more than " + std::to_string(kMostNodes) + " values");
        }
    }
    void count_all(const Value& node, Place place) {
        for (const Value& item : node.items) {
            count(place);
            count_text(item.text, place);
            count_all(item, place);
        }
        for (const Key& key : node.keys) count_text(key.name, place);
    }
    /// Counts the text that aliases stand for.
    void count_text(std::string_view text, Place place) {
        aliased_ += text.size();
        if (aliased_ <= kMostText) return;
        stop(place, "the aliases stand for more than " + std::to_string(kMostText) + " bytes");
    }

    void open(Kind kind, const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor) {
        const Place place = places_.of(mark);
        const std::string_view usual = kind == Kind::list ? kList : kMap;
        if (tag != "?" && tag != "!" && !tag.empty() && tag != usual) {
            stop(place, "unknown tag " + base::printable(tag, 60));
        }
        if (open_.size() >= static_cast<std::size_t>(kDeepest)) {
            stop(place, "the document is nested more than " + std::to_string(kDeepest) + " deep");
        }
        if (!open_.empty() && open_.back().node.kind == Kind::map && !open_.back().has_key) {
            stop(place, "a key must be a text, not " + std::string(to_string(kind)));
        }
        Open fresh;
        fresh.node.kind = kind;
        fresh.node.place = place;
        fresh.anchor = anchor;
        open_.push_back(std::move(fresh));
    }

    void close() {
        Open done = std::move(open_.back());
        open_.pop_back();
        add(std::move(done.node), done.anchor);
    }

    /// Adds a complete value to the list or the map around it.
    void add(Value node, YAML::anchor_t anchor) {
        count(node.place);
        if (anchor != 0) anchors_.insert_or_assign(anchor, node);
        if (open_.empty()) {
            root_ = std::move(node);
            return;
        }
        Open& outer = open_.back();
        if (outer.node.kind == Kind::map && !outer.has_key) {
            add_key(outer, node);
            return;
        }
        outer.node.items.push_back(std::move(node));
        outer.has_key = false;
    }

    static void add_key(Open& map, const Value& key) {
        if (key.kind == Kind::null || key.kind == Kind::list || key.kind == Kind::map) {
            stop(key.place, "a key must be a text, not " + std::string(to_string(key.kind)));
        }
        if (!map.names.insert(key.text).second) {
            stop(key.place, "the key \"" + base::printable(key.text, 60) + "\" is there twice");
        }
        map.node.keys.push_back({key.text, key.place});
        map.has_key = true;
    }

    const Places& places_;
    std::vector<Open> open_;
    std::map<YAML::anchor_t, Value> anchors_;
    std::optional<Value> root_;
    std::size_t nodes_ = 0;
    std::size_t aliased_ = 0;
};

std::expected<Value, Mistake> parse(std::string_view text, const Places& places) {
    std::istringstream stream{std::string(text)};
    YAML::Parser parser(stream);
    Builder builder(places);
    if (!parser.HandleNextDocument(builder) || !builder.root()) {
        return std::unexpected(Mistake{{}, "the document is empty"});
    }
    Value root = std::move(*builder.root());
    Builder second(places);
    if (parser.HandleNextDocument(second) && second.root()) {
        return std::unexpected(
            Mistake{second.root()->place, "there is a second document: write one in a file"});
    }
    return root;
}

}  // namespace

std::expected<Value, Mistake> read(std::string_view text) {
    if (text.size() > kMostText) {
        return std::unexpected(
            Mistake{{}, "the text is longer than " + std::to_string(kMostText) + " bytes"});
    }
    const Places places(text);
    if (const auto bad = find_bad_byte(text)) {
        return std::unexpected(Mistake{places.of_byte(*bad), "the text is not valid UTF-8"});
    }
    try {
        return parse(text, places);
    } catch (const Stop& stop) {
        return std::unexpected(stop.mistake);
    } catch (const YAML::Exception& error) {
        return std::unexpected(Mistake{places.of(error.mark), error.msg});
    }
}

}  // namespace belay::yaml
