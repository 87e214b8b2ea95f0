// Reading documents that somebody else wrote or changed.
#include "base/utc.hpp"
#include "base/utf8.hpp"
#include "document/check.hpp"
#include "document/fields.hpp"
#include "document/node.hpp"
#include "json/base64.hpp"
#include "model/codec_name.hpp"
#include <belay/codec.hpp>

#include <charconv>
#include <limits>

namespace belay::document {

namespace {

std::string shown(std::string_view text) {
    constexpr std::size_t kShown = 64;
    return "'" + base::printable(text, kShown) + "'";
}

template <class Number>
Number number_of(const Node& node, std::string_view text) {
    Number number{};
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (problem != std::errc() || end != text.data() + text.size()) {
        node.fail("is " + shown(text) + ", which is no number of this kind");
    }
    return number;
}

template <class Enum>
Enum enum_of(const Node& node, Enum first, Enum last) {
    const std::string& text = node.as(json::Kind::text).text;
    for (auto value = static_cast<unsigned>(first); value <= static_cast<unsigned>(last); ++value) {
        if (to_string(static_cast<Enum>(value)) == text) return static_cast<Enum>(value);
    }
    node.fail("is " + shown(text) + ", which is not known here");
}

std::string bytes_of(const Node& node) {
    std::optional<std::string> bytes = json::decode_base64(node.as(json::Kind::text).text);
    if (!bytes) node.fail("is not base64");
    return std::move(*bytes);
}

/// An object whose fields are asked for one by one, until all were.
class ObjectReader {
public:
    template <class T>
    using Of = T;

    ObjectReader(const Node& node, const Limits& limits)
        : node_(node), object_(node.as(json::Kind::object)), limits_(limits) {
        used_.resize(object_.items.size());
    }

    template <class T>
    void operator()(const char* name, T& value) {
        const std::optional<Node> field = find(name);
        if (!field) node_.fail("has no " + shown(name));
        get(*field, value);
    }
    /// The field may be missing or null.
    template <class T>
    void operator()(const char* name, std::optional<T>& value) {
        const std::optional<Node> field = find(name);
        if (!field || field->value().kind == json::Kind::null) return;
        get(*field, value.emplace());
    }
    template <class T>
    void unless_usual(const char* name, T& value, const T& /*usual*/) {
        std::optional<T> read;
        (*this)(name, read);
        if (read) value = std::move(*read);
    }
    template <class T>
    void if_set(const char* name, std::optional<T>& value) {
        (*this)(name, value);
    }
    void operator()(const char* name, CommandNo& value) {
        const std::optional<Node> field = find(name);
        if (!field) node_.fail("has no " + shown(name));
        get(*field, value);
        if (value == 0 && name == std::string_view("command")) {
            field->fail("is 0; commands are numbered from 1 on");
        }
    }
    void require(const char* name, bool holds, const char* what) const {
        if (holds) return;
        const std::optional<Node> field = locate(name);
        (field ? *field : node_).fail(what);
    }
    void counted(const char* name, EventNo /*count*/) { (*this)(name, events_); }
    [[nodiscard]] EventNo events() const noexcept { return events_; }

    /// Returns one of the fields, if it is there.
    [[nodiscard]] std::optional<Node> find(std::string_view name) {
        // Usually they are asked for in the order in which they stand.
        for (std::size_t i = 0; i < object_.names.size(); ++i) {
            const std::size_t place = (next_ + i) % object_.names.size();
            if (object_.names[place] != name) continue;
            next_ = place + 1;
            used_[place] = true;
            return Node(node_, object_.names[place], object_.items[place]);
        }
        return std::nullopt;
    }
    /// Throws if a field is left that nobody asked for: its value would be lost.
    void finish() const {
        for (std::size_t i = 0; i < used_.size(); ++i) {
            if (used_[i]) continue;
            Node(node_, object_.names[i], object_.items[i]).fail("is not known here");
        }
    }

    void get(const Node& node, model::Event& event, EventNo number) const {
        ObjectReader object(node, limits_);
        EventNo said = 0;
        std::string type;
        object("event", said);
        if (said != number) {
            object.find("event")->fail("is " + std::to_string(said) + " and should be " +
                                       std::to_string(number));
        }
        object("type", type);
        if (!make_event(event, type)) object.find("type")->fail("is " + shown(type) + ", no event");
        std::visit([&](auto& one) { fields(object, one); }, event);
        object.finish();
    }

private:
    [[nodiscard]] std::optional<Node> locate(std::string_view name) const {
        for (std::size_t i = 0; i < object_.names.size(); ++i) {
            if (object_.names[i] == name) return Node(node_, object_.names[i], object_.items[i]);
        }
        return std::nullopt;
    }

    template <std::size_t I = 0>
    static bool make_event(model::Event& event, std::string_view type) {
        if constexpr (I == kEventNames.size()) {
            return false;
        } else {
            if (type != kEventNames[I]) return make_event<I + 1>(event, type);
            event.emplace<I>();
            return true;
        }
    }

    void get(const Node& node, std::string& text) const {
        if (node.value().kind != json::Kind::object) {
            text = node.as(json::Kind::text).text;
            return;
        }
        ObjectReader object(node, limits_);
        const std::optional<Node> bytes = object.find("base64");
        if (!bytes) node.fail("has no 'base64'");
        text = bytes_of(*bytes);
        object.finish();
    }
    static void get(const Node& node, bool& truth) { truth = node.as(json::Kind::boolean).truth; }
    template <std::integral Number>
        requires(!std::same_as<Number, bool>)
    static void get(const Node& node, Number& number) {
        number = number_of<Number>(node, node.as(json::Kind::number).text);
    }
    static void get(const Node& node, Timestamp& at) {
        if (node.value().kind == json::Kind::number) {
            at = from_unix_ms(number_of<std::int64_t>(node, node.value().text));
            return;
        }
        const std::string& text = node.as(json::Kind::text).text;
        const std::optional<Timestamp> read = base::parse_stamp(text);
        if (!read) node.fail("is " + shown(text) + ", no time like 2026-11-15T16:20:52.123Z");
        at = *read;
    }
    static void get(const Node& node, Millis& duration) {
        duration = Millis(number_of<Millis::rep>(node, node.as(json::Kind::number).text));
    }
    static void get(const Node& node, ParentClose& value) {
        const std::string& text = node.as(json::Kind::text).text;
        if (text != "cancel" && text != "abandon") node.fail("is neither 'cancel' nor 'abandon'");
        value = text == "cancel" ? ParentClose::cancel : ParentClose::abandon;
    }
    static void get(const Node& node, MessageKind& channel) {
        const std::string& text = node.as(json::Kind::text).text;
        if (text != "event" && text != "queue") node.fail("is neither 'event' nor 'queue'");
        channel = text == "event" ? MessageKind::event_raised : MessageKind::queue_message;
    }
    static void get(const Node& node, Status& value) {
        value = enum_of(node, Status::pending, Status::continued_as_new);
    }
    static void get(const Node& node, FailureKind& value) {
        value = enum_of(node, FailureKind::application, FailureKind::id_in_use);
    }
    static void get(const Node& node, CancelSource& value) {
        value = enum_of(node, CancelSource::user, CancelSource::self);
    }
    static void get(const Node& node, Cleanup& value) {
        value = enum_of(node, Cleanup::not_needed, Cleanup::skipped);
    }
    static void get(const Node& node, PayloadCodec& codec) {
        if (node.value().kind == json::Kind::number) {
            codec = static_cast<PayloadCodec>(number_of<std::uint16_t>(node, node.value().text));
            return;
        }
        const std::string& text = node.as(json::Kind::text).text;
        const std::optional<PayloadCodec> found = model::find_codec(text);
        if (!found) node.fail("is " + shown(text) + ", which is no codec known here");
        codec = *found;
    }
    void get(const Node& node, Payload& payload) const {
        ObjectReader object(node, limits_);
        object("codec", payload.codec);
        std::optional<std::uint16_t> flags;
        std::optional<std::vector<Payload>> parts;
        object("flags", flags);
        payload.flags = flags.value_or(0);
        object("parts", parts);
        const std::optional<Node> text = object.find("text");
        const std::optional<Node> bytes = object.find("base64");
        const int forms = (parts ? 1 : 0) + (text ? 1 : 0) + (bytes ? 1 : 0);
        if (forms > 1 || (forms == 0 && payload.codec != PayloadCodec::none)) {
            node.fail("has one of 'text', 'base64' and 'parts'");
        }
        if (parts) payload.bytes = detail::join_payloads(*parts).bytes;
        if (text) payload.bytes = text->as(json::Kind::text).text;
        if (bytes) payload.bytes = bytes_of(*bytes);
        // The input of a next execution may also hold messages and values.
        at_most(node,
                payload.bytes.size(),
                payload.codec == PayloadCodec::continued ? limits_.carried_bytes
                                                         : limits_.payload_bytes);
        object.finish();
    }
    void get(const Node& node, DocumentText& document) const {
        Limits longer = limits_;
        longer.payload_bytes = limits_.run_document_bytes;
        ObjectReader object(node, longer);
        fields(object, document);
        object.finish();
    }
    void get(const Node& node, Failure& failure) const {
        ObjectReader object(node, limits_);
        fields(object, failure);
        object.finish();
        at_most(*object.find("message"), failure.message.size(), limits_.failure_bytes);
        at_most(*object.find("detail"), failure.detail.size(), limits_.failure_bytes);
        if (const std::optional<Node> type = object.find("type")) {
            at_most(*type, failure.type.size(), limits_.failure_bytes);
        }
    }
    void get(const Node& node, CancelRecord& record) const {
        ObjectReader object(node, limits_);
        fields(object, record);
        object.finish();
        at_most(*object.find("by"), record.by.size(), limits_.reason_bytes);
        at_most(*object.find("reason"), record.reason.size(), limits_.reason_bytes);
    }
    void get(const Node& node, Outcome& outcome) const {
        ObjectReader object(node, limits_);
        fields(object, outcome);
        object.finish();
        if (const std::optional<Node> detail = object.find("cleanup_detail")) {
            at_most(*detail, outcome.cleanup_detail.size(), limits_.failure_bytes);
        }
    }
    void get(const Node& node, DocumentInstance& instance) const {
        ObjectReader object(node, limits_);
        fields(object, instance);
        object.finish();
        const Node values = *object.find("key_values");
        at_most(values, instance.key_values.size(), limits_.key_values, "values");
        std::size_t bytes = 0;
        for (std::size_t i = 0; i < values.value().items.size(); ++i) {
            const std::string& key = values.value().names[i];
            const Node at(values, key, values.value().items[i]);
            const std::size_t size = instance.key_values.at(key).bytes.size();
            if (const Result<void> fine = check_name("its key", key, limits_.name_bytes); !fine) {
                at.fail("cannot be: " + fine.error().message(), fine.error().code());
            }
            at_most(at, size, limits_.key_value_bytes);
            bytes += key.size() + size;
        }
        at_most(values, bytes, limits_.key_values_bytes);
        if (const std::optional<Node> status = object.find("custom_status");
            status && instance.custom_status) {
            at_most(*status, instance.custom_status->bytes.size(), limits_.custom_status_bytes);
        }
    }
    static void at_most(const Node& node,
                        std::size_t has,
                        std::size_t most,
                        const char* unit = "bytes") {
        if (has <= most) return;
        node.fail("has " + std::to_string(has) + " " + unit + "; at most " + std::to_string(most) +
                      " are allowed",
                  Errc::limit_exceeded);
    }
    void get(const Node& node, LabelValue& value) const {
        switch (node.value().kind) {
            case json::Kind::boolean: value = node.value().truth; return;
            case json::Kind::number:
                value = number_of<std::int64_t>(node, node.value().text);
                return;
            case json::Kind::object: {
                ObjectReader object(node, limits_);
                if (const std::optional<Node> real = object.find("real")) {
                    value = number_of<double>(*real, real->as(json::Kind::text).text);
                    object.finish();
                    return;
                }
                break;
            }
            default: break;
        }
        get(node, value.emplace<std::string>());
    }
    template <class T>
    void get(const Node& node, std::vector<T>& values) const {
        const json::Value& list = node.as(json::Kind::array);
        for (std::size_t i = 0; i < list.items.size(); ++i) {
            get(Node(node, i, list.items[i]), values.emplace_back());
        }
    }
    void get(const Node& node, std::vector<std::vector<model::Event>>& turns) const {
        const json::Value& list = node.as(json::Kind::array);
        EventNo number = 0;
        for (std::size_t i = 0; i < list.items.size(); ++i) {
            const Node at(node, i, list.items[i]);
            const json::Value& turn = at.as(json::Kind::array);
            if (turn.items.empty()) at.fail("is a turn without events");
            std::vector<model::Event>& events = turns.emplace_back();
            for (std::size_t j = 0; j < turn.items.size(); ++j) {
                get(Node(at, j, turn.items[j]), events.emplace_back(), ++number);
            }
        }
    }
    template <class T>
    void get(const Node& node, std::map<std::string, T>& values) const {
        const json::Value& object = node.as(json::Kind::object);
        for (std::size_t i = 0; i < object.items.size(); ++i) {
            get(Node(node, object.names[i], object.items[i]), values[object.names[i]]);
        }
    }
    void get(const Node& node, DocumentExecution& execution) const {
        ObjectReader object(node, limits_);
        fields(object, execution);
        object.finish();
        const EventNo there = execution.events();
        if (object.events() != there) {
            object.find("events")->fail("is " + std::to_string(object.events()) + "; there are " +
                                        std::to_string(there));
        }
    }
    template <class T>
        requires requires(ObjectReader& archive, T& value) { fields(archive, value); }
    void get(const Node& node, T& value) const {
        ObjectReader object(node, limits_);
        fields(object, value);
        object.finish();
    }

    const Node& node_;
    const json::Value& object_;
    const Limits& limits_;
    std::vector<bool> used_;
    std::size_t next_ = 0;
    EventNo events_ = 0;
};

Document read(const Node& root, const Limits& limits) {
    ObjectReader object(root, limits);
    Document document;
    std::string format;
    std::uint32_t version = 0;
    object("format", format);
    if (format != kDocumentFormat) {
        object.find("format")->fail("is " + shown(format) + ": this is no exported instance");
    }
    object("version", version);
    if (version != kDocumentVersion) {
        object.find("version")->fail("is " + std::to_string(version) + "; this release reads " +
                                         std::to_string(kDocumentVersion),
                                     Errc::unsupported);
    }
    object("instance", document.instance);
    object("executions", document.executions);
    object.finish();
    return document;
}

}  // namespace

Result<Document> read_document(std::string_view text, const Limits& limits) {
    if (text.size() > limits.document_bytes) {
        return Error(Errc::limit_exceeded,
                     "the document has " + std::to_string(text.size()) + " bytes; at most " +
                         std::to_string(limits.document_bytes) + " are allowed");
    }
    const Result<json::Value> value = json::parse(text);
    if (!value) return value.error();
    try {
        Document document = read(Node(*value), limits);
        check_document(document, limits);
        return document;
    } catch (const Damage& damage) {
        return Error(damage.code(), damage.what());
    }
}

}  // namespace belay::document
