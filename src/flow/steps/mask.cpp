#include "flow/steps/mask.hpp"

#include "json/writer.hpp"

#include <algorithm>

namespace belay::flow {

namespace {

std::string_view trimmed(std::string_view line) {
    constexpr std::string_view kBlank = " \t\r";
    const std::size_t begin = line.find_first_not_of(kBlank);
    if (begin == std::string_view::npos) return {};
    return line.substr(begin, line.find_last_not_of(kBlank) - begin + 1);
}

}  // namespace

std::string inside_json_string(std::string_view text) {
    const json::Writer written = json::Writer().text(text);
    const std::string& quoted = written.str();
    return quoted.substr(1, quoted.size() - 2);
}

Masker::Masker(const std::vector<std::string>& secrets) {
    for (const std::string& secret : secrets) {
        if (secret.size() < kShortestMasked) continue;
        add(secret);
        add(inside_json_string(secret));
        std::string_view rest = secret;
        while (rest.contains('\n')) {
            const std::size_t end = rest.find('\n');
            if (trimmed(rest.substr(0, end)).size() >= kShortestMaskedLine) {
                add(trimmed(rest.substr(0, end)));
            }
            rest.remove_prefix(end + 1);
        }
        if (trimmed(rest).size() >= kShortestMaskedLine) add(trimmed(rest));
    }
}

void Masker::add(std::string_view text) {
    if (std::find(needles_.begin(), needles_.end(), text) == needles_.end()) {
        needles_.emplace_back(text);
    }
}

std::string Masker::mask(std::string_view text) const {
    StreamMasker stream(*this);
    std::string masked = stream.push(text);
    return masked += stream.finish();
}

std::string Masker::mask_beginning(std::string_view text) const {
    StreamMasker stream(*this);
    return stream.push(text);
}

std::string StreamMasker::push(std::string_view bytes) {
    if (masker_->needles_.empty()) return std::string(bytes);
    const std::size_t old_size = held_.size();
    masked_.resize(old_size + bytes.size(), false);
    held_ += bytes;
    find(old_size);
    return take(held_.size() - held_bytes());
}

std::string StreamMasker::finish() { return take(held_.size()); }

/// Marks the secrets that end behind the first `old_size` bytes.
void StreamMasker::find(std::size_t old_size) {
    for (const std::string& needle : masker_->needles_) {
        std::size_t from = old_size - std::min(old_size, needle.size() - 1);
        std::size_t marked = 0;  // So that a secret that overlaps itself marks no byte again.
        for (from = held_.find(needle, from); from != std::string::npos;
             from = held_.find(needle, from + 1)) {
            for (std::size_t i = std::max(from, marked); i < from + needle.size(); ++i) {
                masked_[i] = true;
            }
            marked = from + needle.size();
        }
    }
}

/// Returns the length of the longest end of the text with which a secret begins.
std::size_t StreamMasker::held_bytes() const {
    std::size_t longest = 0;
    for (const std::string_view needle : masker_->needles_) {
        for (std::size_t size = std::min(needle.size() - 1, held_.size()); size > longest; --size) {
            if (held_.ends_with(needle.substr(0, size))) longest = size;
        }
    }
    return longest;
}

std::string StreamMasker::take(std::size_t count) {
    std::string text;
    text.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
        if (!masked_[i]) {
            text += held_[i];
        } else if (!in_mark_) {
            text += "***";
        }
        in_mark_ = masked_[i];
    }
    held_.erase(0, count);
    masked_.erase(masked_.begin(), masked_.begin() + static_cast<std::ptrdiff_t>(count));
    return text;
}

}  // namespace belay::flow
