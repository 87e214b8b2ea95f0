// Answers to each request on a store.
#pragma once

#include "client/core.hpp"
#include <belay/service.hpp>

namespace belay::client {

// These never block: `done` is called when the store has answered.
void begin(const CorePtr& core, requests::Start request, Done<StartResult> done);
void begin(const CorePtr& core, requests::Cancel request, Done<CancelResult> done);
void begin(const CorePtr& core, requests::CancelMany request, Done<CancelManyResult> done);
void begin(const CorePtr& core, requests::Terminate request, Done<CancelResult> done);
void begin(const CorePtr& core, requests::SendMessage request, Done<InstanceBrief> done);
void begin(const CorePtr& core, requests::Release request, Done<InstanceBrief> done);
void begin(const CorePtr& core, const requests::FailHeld& request, Done<InstanceBrief> done);
void begin(const CorePtr& core, requests::FreeKey request, Done<void> done);
void begin(const CorePtr& core, const requests::Redrive& request, Done<InstanceBrief> done);
void begin(const CorePtr& core, const requests::Discard& request, Done<void> done);

void begin(const CorePtr& core, requests::Delete request, Done<DeleteInstanceResult> done);
void begin(const CorePtr& core, requests::DeleteTogether request, Done<DeleteInstanceResult> done);
void begin(const CorePtr& core, requests::DeleteMany request, Done<DeleteInstanceResult> done);
void begin(const CorePtr& core, const requests::Prune& request, Done<PruneResult> done);
void begin(const CorePtr& core, requests::PruneMany request, Done<PruneResult> done);
void begin(const CorePtr& core, requests::SetRetention request, Done<void> done);
void begin(const CorePtr& core,
           requests::ReadRetention request,
           Done<requests::ReadRetention::Answer> done);
void begin(const CorePtr& core, requests::ApplyRetention request, Done<RetentionResult> done);
void begin(const CorePtr& core, requests::PreviewRetention request, Done<RetentionPreview> done);
void begin(const CorePtr& core, requests::SetQueueLimits request, Done<void> done);

void begin(const CorePtr& core, const requests::Now& request, const Done<Timestamp>& done);
void begin(const CorePtr& core, requests::List request, Done<InstancePage> done);
void begin(const CorePtr& core, requests::Count request, Done<requests::Count::Answer> done);
void begin(const CorePtr& core, requests::ListKeys request, Done<KeyPage> done);
void begin(const CorePtr& core, requests::Inspect request, Done<InstanceInfo> done);
void begin(const CorePtr& core,
           const requests::InspectMany& request,
           Done<requests::InspectMany::Answer> done);
void begin(const CorePtr& core,
           const requests::ReadHistory& request,
           Done<requests::ReadHistory::Answer> done);
void begin(const CorePtr& core,
           const requests::ListExecutions& request,
           Done<requests::ListExecutions::Answer> done);
void begin(const CorePtr& core,
           const requests::ListChildren& request,
           Done<requests::ListChildren::Answer> done);
void begin(const CorePtr& core, requests::ListTree request, Done<requests::ListTree::Answer> done);
void begin(const CorePtr& core,
           requests::ReadValues request,
           Done<requests::ReadValues::Answer> done);
void begin(const CorePtr& core, const requests::CountQueues& request, Done<QueueDepths> done);
void begin(const CorePtr& core,
           const requests::ListLeases& request,
           Done<requests::ListLeases::Answer> done);
void begin(const CorePtr& core,
           const requests::ListDeadLetters& request,
           Done<requests::ListDeadLetters::Answer> done);

// These block: each takes several reads.
[[nodiscard]] Result<DeletionPreview> answer(Core& core, const requests::PreviewDelete& request);
[[nodiscard]] Result<PrunePreview> answer(Core& core, const requests::PreviewPrune& request);
[[nodiscard]] Result<InstanceDescription> answer(Core& core, const requests::Describe& request);
[[nodiscard]] Result<Timeline> answer(Core& core, const requests::ReadTimeline& request);
[[nodiscard]] Result<std::string> answer(Core& core, const requests::Export& request);
[[nodiscard]] Result<InstanceBrief> answer(Core& core, const requests::Import& request);

}  // namespace belay::client
