// Reads of the stored data.
#pragma once

#include "store/memory/tables.hpp"

namespace belay::memory {

[[nodiscard]] ReadInstance::Answer read(const Tables&, const ReadInstance&, Timestamp now);
[[nodiscard]] ReadInstances::Answer read(const Tables&, const ReadInstances&, Timestamp now);
[[nodiscard]] ReadHistory::Answer read(const Tables&, const ReadHistory&, Timestamp now);
[[nodiscard]] ListExecutions::Answer read(const Tables&, const ListExecutions&, Timestamp now);
[[nodiscard]] ListChildren::Answer read(const Tables&, const ListChildren&, Timestamp now);
[[nodiscard]] ListTree::Answer read(const Tables&, const ListTree&, Timestamp now);
[[nodiscard]] SelectInstances::Answer read(const Tables&, const SelectInstances&, Timestamp now);
[[nodiscard]] ListOutcomes::Answer read(const Tables&, const ListOutcomes&, Timestamp now);
[[nodiscard]] ReadRetention::Answer read(const Tables&, const ReadRetention&, Timestamp now);
[[nodiscard]] KeyValues::Answer read(const Tables&, const KeyValues&, Timestamp now);
[[nodiscard]] ListDeadLetters::Answer read(const Tables&, const ListDeadLetters&, Timestamp now);
[[nodiscard]] ListActivities::Answer read(const Tables&, const ListActivities&, Timestamp now);
[[nodiscard]] CheckLeases::Answer read(const Tables&, const CheckLeases&, Timestamp now);
[[nodiscard]] ReadDeadHolders::Answer read(const Tables&, const ReadDeadHolders&, Timestamp now);
// rows_documents.cpp
[[nodiscard]] ReadDocument::Answer read(const Tables&, const ReadDocument&, Timestamp now);
[[nodiscard]] ListDocuments::Answer read(const Tables&, const ListDocuments&, Timestamp now);
// rows_output.cpp
[[nodiscard]] ReadOutput::Answer read(const Tables&, const ReadOutput&, Timestamp now);
// listing.cpp
[[nodiscard]] ListInstances::Answer read(const Tables&, const ListInstances&, Timestamp now);
[[nodiscard]] CountInstances::Answer read(const Tables&, const CountInstances&, Timestamp now);
[[nodiscard]] ListKeys::Answer read(const Tables&, const ListKeys&, Timestamp now);
// overview.cpp
[[nodiscard]] CountQueues::Answer read(const Tables&, const CountQueues&, Timestamp now);
[[nodiscard]] ListLeases::Answer read(const Tables&, const ListLeases&, Timestamp now);
[[nodiscard]] ReadOpenWork::Answer read(const Tables&, const ReadOpenWork&, Timestamp now);

}  // namespace belay::memory
