// Documents: kept with the first run that has one, and removed with the last.
#pragma once

#include "store/rules/rows.hpp"

namespace belay::store {

/// Keeps the document of a new run unless it is kept already.
void keep_document(Rows& rows, const NewInstance& instance, const std::optional<Payload>& text);
/// Called when a run that had the document is deleted.
void leave_document(Rows& rows, const DocumentKey& key);

}  // namespace belay::store
