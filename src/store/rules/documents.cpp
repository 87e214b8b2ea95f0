#include "store/rules/documents.hpp"

namespace belay::store {

void keep_document(Rows& rows, const NewInstance& instance, const std::optional<Payload>& text) {
    if (!text || !instance.document) return;
    const std::string& space = instance.name.space;
    if (rows.has_document({space, *instance.document})) return;
    const std::uint64_t number = rows.last_document(space, instance.definition) + 1;
    rows.insert_document(
        space, DocumentHead{*instance.document, instance.definition, number, rows.now()}, *text);
}

void leave_document(Rows& rows, const DocumentKey& key) {
    if (!rows.is_document_used(key)) rows.erase_document(key);
}

}  // namespace belay::store
