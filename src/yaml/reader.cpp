#include "yaml/reader.hpp"

#include "base/utf8.hpp"
#include "yaml/places.hpp"
#include "yaml/scalar.hpp"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <unordered_map>
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

constexpr const char* kCut = "The file may have been cut";
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

/// Returns where a text is not UTF-8.
std::optional<std::size_t> find_bad_byte(std::string_view text) {
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t size = base::utf8_sequence(text.substr(at));
        if (size == 0) return at;
        at += size;
    }
    return std::nullopt;
}

/// Builds the tree from the parser's events.
class Builder final : public YAML::EventHandler {
public:
    Builder(const Places& places, std::vector<Mistake>& twice) : places_(places), twice_(twice) {}

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
        // The library takes the end of the text for a closing quote.
        if (!places_.is_closed(mark)) {
            stop(node.place, "the text has no closing quote", kCut);
        }
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
        bool has_key = false;      ///< map: the next value belongs to the last key
        bool drops_value = false;  ///< map: the last key was there before
        std::unordered_map<std::string, Place> names{};  ///< map: the keys so far
    };

    [[noreturn]] static void stop(Place place, std::string message, std::string advice = {}) {
        throw Stop{{place, std::move(message), std::move(advice)}};
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
        if (!std::exchange(outer.drops_value, false)) outer.node.items.push_back(std::move(node));
        outer.has_key = false;
    }

    void add_key(Open& map, const Value& key) {
        if (key.kind == Kind::null || key.kind == Kind::list || key.kind == Kind::map) {
            stop(key.place, "a key must be a text, not " + std::string(to_string(key.kind)));
        }
        map.has_key = true;
        const auto [first, is_new] = map.names.emplace(key.text, key.place);
        if (is_new) {
            map.node.keys.push_back({key.text, key.place});
            return;
        }
        map.drops_value = true;
        twice_.push_back({key.place,
                          "the key \"" + base::printable(key.text, 60) + "\" is there twice",
                          "It is in line " + std::to_string(first->second.line) + ", too"});
    }

    const Places& places_;
    std::vector<Mistake>& twice_;
    std::vector<Open> open_;
    std::map<YAML::anchor_t, Value> anchors_;
    std::optional<Value> root_;
    std::size_t nodes_ = 0;
    std::size_t aliased_ = 0;
};

std::expected<Value, Mistake> parse(std::string_view text,
                                    const Places& places,
                                    std::vector<Mistake>& twice) {
    std::istringstream stream{std::string(text)};
    YAML::Parser parser(stream);
    Builder builder(places, twice);
    if (!parser.HandleNextDocument(builder) || !builder.root()) {
        return std::unexpected(Mistake{{}, "the document is empty"});
    }
    Value root = std::move(*builder.root());
    Builder second(places, twice);
    if (parser.HandleNextDocument(second) && second.root()) {
        return std::unexpected(
            Mistake{second.root()->place, "there is a second document: write one in a file"});
    }
    return root;
}

/// Returns the mistake of a text that was cut; none if it was not.
std::optional<Mistake> cut_mistake(std::string_view text, const Places& places) {
    const auto open = open_at_end(text);
    if (!open) return std::nullopt;
    std::string message = "the document ends within ";
    if (*open == '{') message += "a map: its } is missing";
    if (*open == '[') message += "a list: its ] is missing";
    if (*open == '"' || *open == '\'') message += "a text in quotes";
    return Mistake{places.of_byte(text.size()), message, kCut};
}

Mistake mistake_of(const YAML::Exception& error, const Places& places) {
    const bool surrogate = error.msg.starts_with(YAML::ErrorMsg::INVALID_UNICODE);
    return {places.of(error.mark),
            error.msg,
            surrogate ? "A surrogate needs its other half behind it" : ""};
}

std::expected<Value, Mistake> read_places(std::string_view text,
                                          const Places& places,
                                          std::vector<Mistake>& twice) {
    Mistake mistake;
    try {
        return parse(text, places, twice);
    } catch (const Stop& stop) {
        mistake = stop.mistake;
    } catch (const YAML::Exception& error) {
        mistake = mistake_of(error, places);
    }
    return std::unexpected(cut_mistake(text, places).value_or(std::move(mistake)));
}

}  // namespace

std::expected<Value, Mistake> read(std::string_view text, std::vector<Mistake>& twice) {
    if (text.size() > kMostText) {
        return std::unexpected(
            Mistake{{}, "the text is longer than " + std::to_string(kMostText) + " bytes"});
    }
    if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
    if (const auto bad = find_bad_byte(text)) {
        return std::unexpected(
            Mistake{Places(text, {}).of_byte(*bad), "the text is not valid UTF-8"});
    }
    std::vector<Shift> shifts;
    const std::string joined = join_surrogates(text, shifts);
    return read_places(joined, Places(joined, std::move(shifts)), twice);
}

std::expected<Value, Mistake> read(std::string_view text) {
    std::vector<Mistake> twice;
    auto value = read(text, twice);
    if (value && !twice.empty()) return std::unexpected(twice.front());
    return value;
}

}  // namespace belay::yaml
