// Reads. Each sees the file as one commit left it.
#pragma once

#include "store/sqlite/connection.hpp"
#include <belay/store/listing.hpp>

namespace belay::sqlite {

[[nodiscard]] ReadInstance::Answer read(Connection&, const ReadInstance& request, Timestamp now);
[[nodiscard]] ReadInstances::Answer read(Connection&, const ReadInstances& request, Timestamp now);
[[nodiscard]] ReadHistory::Answer read(Connection&, const ReadHistory& request, Timestamp now);
[[nodiscard]] ListExecutions::Answer read(Connection&,
                                          const ListExecutions& request,
                                          Timestamp now);
[[nodiscard]] ListChildren::Answer read(Connection&, const ListChildren& request, Timestamp now);
[[nodiscard]] ListTree::Answer read(Connection&, const ListTree& request, Timestamp now);
[[nodiscard]] SelectInstances::Answer read(Connection&,
                                           const SelectInstances& request,
                                           Timestamp now);
[[nodiscard]] ListOutcomes::Answer read(Connection&, const ListOutcomes& request, Timestamp now);
[[nodiscard]] ReadRetention::Answer read(Connection&, const ReadRetention& request, Timestamp now);
[[nodiscard]] KeyValues::Answer read(Connection&, const KeyValues& request, Timestamp now);
[[nodiscard]] ListDeadLetters::Answer read(Connection&,
                                           const ListDeadLetters& request,
                                           Timestamp now);
[[nodiscard]] ListActivities::Answer read(Connection&,
                                          const ListActivities& request,
                                          Timestamp now);
/// Needs more than a connection: see StoreCore::dead_holders.
[[nodiscard]] inline ReadDeadHolders::Answer read(Connection&, const ReadDeadHolders&, Timestamp) {
    return {};
}
[[nodiscard]] CheckLeases::Answer read(Connection&, const CheckLeases& request, Timestamp now);
// tables_documents.cpp
[[nodiscard]] ReadDocument::Answer read(Connection&, const ReadDocument& request, Timestamp now);
[[nodiscard]] ListDocuments::Answer read(Connection&, const ListDocuments& request, Timestamp now);
// tables_output.cpp
[[nodiscard]] ReadOutput::Answer read(Connection&, const ReadOutput& request, Timestamp now);
// listing.cpp
[[nodiscard]] ListInstances::Answer read(Connection&, const ListInstances& request, Timestamp now);
[[nodiscard]] ListKeys::Answer read(Connection&, const ListKeys& request, Timestamp now);
[[nodiscard]] CountInstances::Answer read(Connection&,
                                          const CountInstances& request,
                                          Timestamp now);
// overview.cpp
[[nodiscard]] CountQueues::Answer read(Connection&, const CountQueues& request, Timestamp now);
[[nodiscard]] ListLeases::Answer read(Connection&, const ListLeases& request, Timestamp now);
[[nodiscard]] ReadOpenWork::Answer read(Connection&, const ReadOpenWork& request, Timestamp now);

}  // namespace belay::sqlite
