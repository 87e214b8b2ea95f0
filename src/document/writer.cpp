// Writing documents.
#include "json/writer.hpp"

#include "base/utc.hpp"
#include "base/utf8.hpp"
#include "document/fields.hpp"
#include "json/base64.hpp"
#include "model/arguments.hpp"
#include "model/codec_name.hpp"
#include <belay/codec.hpp>

#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

namespace belay::document {

namespace {

/// The depth to which a document is broken into lines: each event is one line.
constexpr int kBroken = 5;

/// True if the bytes are text. If `readable`, only text that people can read.
bool is_text(std::string_view bytes, bool readable) {
    while (!bytes.empty()) {
        const std::size_t size = base::utf8_sequence(bytes);
        if (size == 0) return false;
        const std::string_view sequence = bytes.substr(0, size);
        if (readable && base::is_control(sequence) && sequence != "\n" && sequence != "\t") {
            return false;
        }
        bytes.remove_prefix(size);
    }
    return true;
}

/// Returns the single values, if joining them gives the same bytes again.
std::vector<Payload> split_exactly(const Payload& payload) {
    std::optional<std::vector<Payload>> parts = model::parts_of(payload);
    if (!parts || detail::join_payloads(*parts).bytes != payload.bytes) return {};
    return std::move(*parts);
}

class DocumentWriter {
public:
    template <class T>
    using Of = const T;

    explicit DocumentWriter(json::Writer& out) : out_(out) {}

    template <class T>
    void operator()(const char* name, const T& value) {
        out_.key(name);
        put(value);
    }
    template <class T>
    void unless_usual(const char* name, const T& value, const T& usual) {
        if (value != usual) (*this)(name, value);
    }
    template <class T>
    void if_set(const char* name, const std::optional<T>& value) {
        if (value) (*this)(name, value);
    }
    void require(const char* /*name*/, bool holds, const char* /*what*/) { BELAY_ASSERT(holds); }
    void counted(const char* name, EventNo count) { out_.field(name, count); }

private:
    void put(const std::string& text) {
        if (is_text(text, false)) {
            out_.text(text);
        } else {
            out_.open_object().field("base64", json::base64(text)).close_object();
        }
    }
    void put(bool truth) { out_.boolean(truth); }
    void put(std::int32_t number) { out_.number(number); }
    void put(std::uint32_t number) { out_.number(number); }
    void put(std::uint64_t number) { out_.number(number); }
    void put(Timestamp at) {
        if (const auto text = base::stamp(at)) {
            out_.text(*text);
        } else {
            out_.number(to_unix_ms(at));
        }
    }
    void put(Millis duration) { out_.number(duration.count()); }
    void put(ParentClose value) { out_.text(value == ParentClose::abandon ? "abandon" : "cancel"); }
    void put(MessageKind channel) {
        out_.text(channel == MessageKind::queue_message ? "queue" : "event");
    }
    void put(Status value) { out_.text(to_string(value)); }
    void put(FailureKind value) { out_.text(to_string(value)); }
    void put(CancelSource value) { out_.text(to_string(value)); }
    void put(Cleanup value) { out_.text(to_string(value)); }

    void put(const Payload& payload) {
        const std::string_view codec = model::codec_name(payload.codec);
        out_.open_object().key("codec");
        if (codec.empty()) {
            out_.number(static_cast<std::uint16_t>(payload.codec));
        } else {
            out_.text(codec);
        }
        if (payload.flags != 0) out_.field("flags", payload.flags);
        const std::vector<Payload> parts = split_exactly(payload);
        if (!parts.empty()) {
            out_.key("parts");
            put(parts);
        } else if (!is_text(payload.bytes, true)) {
            out_.field("base64", json::base64(payload.bytes));
        } else if (payload.codec != PayloadCodec::none || !payload.bytes.empty()) {
            out_.field("text", payload.bytes);
        }
        out_.close_object();
    }
    void put(const LabelValue& value) {
        std::visit([this](const auto& one) { put_label(one); }, value);
    }
    void put_label(const std::string& text) { put(text); }
    void put_label(bool truth) { out_.boolean(truth); }
    void put_label(std::int64_t number) { out_.number(number); }
    /// Written as text: a whole number would be taken for another kind of label.
    void put_label(double number) {
        out_.open_object().field("real", detail::format_number(number)).close_object();
    }

    template <class T>
    void put(const std::optional<T>& value) {
        if (value) {
            put(*value);
        } else {
            out_.null();
        }
    }
    template <class T>
    void put(const std::vector<T>& values) {
        out_.open_array();
        for (const T& value : values) put(value);
        out_.close_array();
    }
    /// Writes a chain of turns, with their events numbered through.
    void put(const std::vector<std::vector<model::Event>>& turns) {
        EventNo number = 0;
        out_.open_array();
        for (const auto& turn : turns) {
            out_.open_array();
            for (const model::Event& event : turn) {
                out_.open_object().field("event", ++number);
                out_.field("type", kEventNames.at(event.index()));
                std::visit([this](const auto& one) { fields(*this, one); }, event);
                out_.close_object();
            }
            out_.close_array();
        }
        out_.close_array();
    }
    template <class T>
    void put(const std::map<std::string, T>& values) {
        out_.open_object();
        for (const auto& [name, value] : values) {
            out_.key(name);
            put(value);
        }
        out_.close_object();
    }
    template <class T>
        requires requires(DocumentWriter& archive, const T& value) { fields(archive, value); }
    void put(const T& value) {
        out_.open_object();
        fields(*this, value);
        out_.close_object();
    }

    json::Writer& out_;
};

template <class Map>
Result<void> check_names_of(const char* what, const Map& map) {
    for (const auto& [name, value] : map) {
        if (is_text(name, false)) continue;
        return Error(Errc::unsupported,
                     std::string("the name of a ") + what + ", '" + base::printable(name, 64) +
                         "', is not UTF-8 and cannot be written as JSON");
    }
    return {};
}

}  // namespace

Result<std::string> write_document(const Document& document, ExportLayout layout) {
    const DocumentInstance& instance = document.instance;
    for (const Result<void>& fine : {check_names_of("label", instance.labels),
                                     check_names_of("header", instance.headers),
                                     check_names_of("value", instance.key_values)}) {
        if (!fine) return fine.error();
    }
    json::Writer out(layout == ExportLayout::indented ? kBroken : 0);
    DocumentWriter archive(out);
    out.open_object().field("format", kDocumentFormat).field("version", kDocumentVersion);
    archive("instance", instance);
    archive("executions", document.executions);
    out.close_object();
    return out.str() + "\n";
}

}  // namespace belay::document
