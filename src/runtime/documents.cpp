#include "runtime/documents.hpp"

#include <optional>

namespace belay::runtime {

Documents::Code Documents::find(const std::string& space, const Digest& digest) {
    const auto at = index_.find(Key(space, digest));
    if (at == index_.end()) return nullptr;
    order_.splice(order_.begin(), order_, at->second);
    return at->second->code;
}

Documents::Code Documents::put(const std::string& space, const Digest& digest, Payload text) {
    if (Code known = find(space, digest)) return known;
    const std::size_t bytes = text.bytes.size();
    std::optional<RegisteredOrchestration> made = registry_.interpret(std::move(text));
    if (!made) return nullptr;
    Entry entry{Key(space, digest),
                std::make_shared<const RegisteredOrchestration>(std::move(*made)),
                bytes};
    order_.push_front(std::move(entry));
    index_.emplace(order_.front().key, order_.begin());
    bytes_ += bytes;
    while (bytes_ > most_bytes_ && order_.size() > 1) {
        bytes_ -= order_.back().bytes;
        index_.erase(order_.back().key);
        order_.pop_back();
    }
    return order_.front().code;
}

}  // namespace belay::runtime
