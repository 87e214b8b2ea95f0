// Answers to each request on a store.
#pragma once

#include "client/service_context.hpp"
#include <belay/service.hpp>

namespace belay::client {

// These never block: `done` is called when the store has answered.
void begin(const ContextPtr& context, requests::Start request, Done<StartResult> done);
void begin(const ContextPtr& context, requests::Rerun request, Done<StartResult> done);
void begin(const ContextPtr& context, requests::Cancel request, Done<CancelResult> done);
void begin(const ContextPtr& context, requests::CancelMany request, Done<CancelManyResult> done);
void begin(const ContextPtr& context, requests::Terminate request, Done<CancelResult> done);
void begin(const ContextPtr& context, requests::SendMessage request, Done<InstanceBrief> done);
void begin(const ContextPtr& context, requests::Release request, Done<InstanceBrief> done);
void begin(const ContextPtr& context, const requests::FailHeld& request, Done<InstanceBrief> done);
void begin(const ContextPtr& context, requests::FreeKey request, Done<void> done);
void begin(const ContextPtr& context, const requests::Redrive& request, Done<InstanceBrief> done);
void begin(const ContextPtr& context, const requests::Discard& request, Done<void> done);

void begin(const ContextPtr& context, requests::Delete request, Done<DeleteInstanceResult> done);
void begin(const ContextPtr& context,
           requests::DeleteTogether request,
           Done<DeleteInstanceResult> done);
void begin(const ContextPtr& context,
           requests::DeleteMany request,
           Done<DeleteInstanceResult> done);
void begin(const ContextPtr& context, const requests::Prune& request, Done<PruneResult> done);
void begin(const ContextPtr& context, requests::PruneMany request, Done<PruneResult> done);
void begin(const ContextPtr& context, requests::SetRetention request, Done<void> done);
void begin(const ContextPtr& context,
           requests::ReadRetention request,
           Done<requests::ReadRetention::Answer> done);
void begin(const ContextPtr& context, requests::ApplyRetention request, Done<RetentionResult> done);
void begin(const ContextPtr& context,
           requests::PreviewRetention request,
           Done<RetentionPreview> done);
void begin(const ContextPtr& context, requests::SetQueueLimits request, Done<void> done);
void begin(const ContextPtr& context, requests::SetPause request, Done<bool> done);

void begin(const ContextPtr& context, const requests::Now& request, const Done<Timestamp>& done);
void begin(const ContextPtr& context, requests::List request, Done<InstancePage> done);
void begin(const ContextPtr& context, requests::Count request, Done<requests::Count::Answer> done);
void begin(const ContextPtr& context, requests::ListKeys request, Done<KeyPage> done);
void begin(const ContextPtr& context,
           requests::ListDocuments request,
           Done<requests::ListDocuments::Answer> done);
void begin(const ContextPtr& context,
           requests::ReadDocument request,
           Done<requests::ReadDocument::Answer> done);
void begin(const ContextPtr& context, requests::Inspect request, Done<InstanceInfo> done);
void begin(const ContextPtr& context,
           const requests::InspectMany& request,
           Done<requests::InspectMany::Answer> done);
void begin(const ContextPtr& context,
           const requests::ReadHistory& request,
           Done<requests::ReadHistory::Answer> done);
void begin(const ContextPtr& context,
           const requests::ListExecutions& request,
           Done<requests::ListExecutions::Answer> done);
void begin(const ContextPtr& context,
           const requests::ListChildren& request,
           Done<requests::ListChildren::Answer> done);
void begin(const ContextPtr& context,
           requests::ListTree request,
           Done<requests::ListTree::Answer> done);
void begin(const ContextPtr& context,
           requests::ReadValues request,
           Done<requests::ReadValues::Answer> done);
void begin(const ContextPtr& context, const requests::ReadOutput& request, Done<OutputPage> done);
void begin(const ContextPtr& context, const requests::CountQueues& request, Done<QueueDepths> done);
void begin(const ContextPtr& context,
           const requests::ListLeases& request,
           Done<requests::ListLeases::Answer> done);
void begin(const ContextPtr& context,
           const requests::ListDeadLetters& request,
           Done<requests::ListDeadLetters::Answer> done);

// These block: each takes several reads.
[[nodiscard]] Result<StartResult> answer(ServiceContext& context, const requests::Resume& request);
[[nodiscard]] Result<DeletionPreview> answer(ServiceContext& context,
                                             const requests::PreviewDelete& request);
[[nodiscard]] Result<PrunePreview> answer(ServiceContext& context,
                                          const requests::PreviewPrune& request);
[[nodiscard]] Result<InstanceDescription> answer(ServiceContext& context,
                                                 const requests::Describe& request);
[[nodiscard]] Result<Timeline> answer(ServiceContext& context,
                                      const requests::ReadTimeline& request);
[[nodiscard]] Result<std::string> answer(ServiceContext& context, const requests::Export& request);
[[nodiscard]] Result<InstanceBrief> answer(ServiceContext& context,
                                           const requests::Import& request);

}  // namespace belay::client
