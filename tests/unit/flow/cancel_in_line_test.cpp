// A cancel of a flow whose steps wait in line: no process has begun them.
#include "unit/flow/flow_processes.hpp"

namespace belay::flow::test {
namespace {

using FlowCancelInLine = FlowProcesses;

TEST_F(FlowCancelInLine, AFlowOfWhichNoStepBeganAnswersCanceledAtOnceAndNoneEverRuns) {
    flow_process(RuntimeOptions().activity_slots(0));
    const InstanceName run = start_flow(R"(
belay: 1
name: f
steps: [{id: a, activity: Work}, {id: b, activity: Work}]
)");
    settle();
    ASSERT_EQ(status(run), Status::running);
    ASSERT_EQ(queue().size(), 2U);
    const CancelResult answer = client.cancel(run).or_throw();
    EXPECT_TRUE(answer.changed);
    EXPECT_EQ(answer.instance.status, Status::canceled);
    EXPECT_TRUE(info(run).settled);
    EXPECT_TRUE(queue().empty());
    Process& able = flow_process();
    settle();
    EXPECT_EQ(able.executor.count(), 0U);
}

}  // namespace
}  // namespace belay::flow::test
