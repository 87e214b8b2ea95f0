// The code of documents, kept in memory.
#pragma once

#include <belay/message.hpp>
#include <belay/registry.hpp>
#include <belay/store/parts/digest.hpp>

#include <cstddef>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <utility>

namespace belay::runtime {

/// A bounded cache, least recently used out first. A document that is dropped is read again.
class Documents {
public:
    using Code = std::shared_ptr<const RegisteredOrchestration>;

    /// `most_bytes` bounds the texts, but the last one is always kept.
    Documents(const Registry& registry, std::size_t most_bytes)
        : registry_(registry), most_bytes_(most_bytes) {}

    /// Returns null if it is not here.
    [[nodiscard]] Code find(const std::string& space, const Digest& digest);
    /// Returns null if nothing here interprets documents.
    Code put(const std::string& space, const Digest& digest, Payload text);

private:
    using Key = std::pair<std::string, Digest>;
    struct Entry {
        Key key;
        Code code;
        std::size_t bytes = 0;
    };

    const Registry& registry_;
    std::size_t most_bytes_;
    std::size_t bytes_ = 0;
    std::list<Entry> order_;  // The last used first.
    std::map<Key, std::list<Entry>::iterator> index_;
};

}  // namespace belay::runtime
