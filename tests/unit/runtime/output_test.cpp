// The output of activities: when it is kept, and with what.
#include "terms.hpp"
#include <belay/detail/output_buffer.hpp>
#include <belay/finding.hpp>

#include <stdexcept>

namespace belay::runtime_tests::output {
namespace {

using namespace std::chrono_literals;

class Output : public TermsWorld {
protected:
    /// The code writes this when it runs.
    static Registry that_says(const std::string& text) {
        Registry registry = no_activities();
        registry.add(Work, [text](ActivityContext& ctx, const std::string& input) {
            ctx.output().out(text);
            if (ctx.stop_requested()) throw Stopped(ctx.stop_reason());
            return "did " + input;
        });
        return registry;
    }
    /// The handler writes, and its worker hears of it.
    void write(Process& process, std::string_view text, std::size_t index = 0) {
        process.executor.at(index).task->details().output->write(OutputStream::out, text);
        settle();
    }
    OutputPage page(const InstanceName& name) {
        const Result<OutputPage> found = client.output(name);
        EXPECT_TRUE(found.ok());
        return found.ok() ? *found : OutputPage();
    }
    std::string text(const InstanceName& name) {
        std::string all;
        for (const KeptChunk& one : page(name).chunks) all += one.text.bytes;
        return all;
    }
};

TEST_F(Output, IsKeptWhileTheActivityRunsOnceTheIntervalHasPassed) {
    Process& p = add(that_says(""));
    const InstanceName run = start();
    settle();
    write(p, "one\n");
    settle();
    EXPECT_EQ(text(run), "");
    pass(Policy().output_interval - 1ms);
    write(p, "two\n");
    settle();
    EXPECT_EQ(text(run), "");
    pass(1ms);
    EXPECT_EQ(text(run), "one\ntwo\n");
    const OutputPage kept = page(run);
    ASSERT_EQ(kept.attempts.size(), 1U);
    EXPECT_EQ(kept.attempts[0].source, "Work");
    EXPECT_EQ(kept.attempts[0].attempt, 1U);
    write(p, "three\n");
    pass(Policy().output_interval);
    EXPECT_EQ(text(run), "one\ntwo\nthree\n");
}

TEST_F(Output, MuchOfItIsKeptSooner) {
    Process& p = add(that_says(""));
    const InstanceName run = start();
    settle();
    write(p, std::string(Policy().output_batch_bytes, 'x'));
    settle();
    EXPECT_EQ(text(run).size(), Policy().output_batch_bytes);
}

TEST_F(Output, OfSeveralActivitiesIsWrittenTogether) {
    Process& p = add(that_says(""));
    const InstanceName first = start("i1");
    const InstanceName second = start("i2");
    settle();
    write(p, "a", 0);
    write(p, "b", 1);
    const auto before = store.batches().size();
    pass(Policy().output_interval);
    EXPECT_EQ(store.batches().size(), before + 1);
    EXPECT_EQ(text(first) + text(second), "ab");
}

TEST_F(Output, OfAnActivityThatEndsAtOnceComesWithItsEnd) {
    Process& p = add(that_says("hello\n"));
    const InstanceName run = start();
    settle();
    const auto before = store.batches().size();
    p.executor.finish(0);
    settle();
    EXPECT_EQ(text(run), "hello\n");
    EXPECT_EQ(status(run), Status::completed);
    EXPECT_LE(store.batches().size(), before + 2) << "the end, and the turn";
}

TEST_F(Output, ComesWithTheTurnThatTheEndCauses) {
    Registry registry;
    registry.add(Main, one_step);
    registry.add(Work, [](ActivityContext& ctx, const std::string& input) {
        ctx.output(OutputStream::err, "careful\n");
        return input;
    });
    Process& p = process(std::move(registry));
    const InstanceName run = start();
    settle();
    const auto before = store.batches().size();
    p.executor.finish(0);
    settle();
    EXPECT_EQ(store.batches().size(), before + 1);
    EXPECT_EQ(status(run), Status::completed);
    const OutputPage kept = page(run);
    ASSERT_EQ(kept.chunks.size(), 1U);
    EXPECT_EQ(kept.chunks[0].stream, OutputStream::err);
    EXPECT_EQ(kept.chunks[0].text.bytes, "careful\n");
}

TEST_F(Output, OfAFailureIsKeptToo) {
    Registry registry = no_activities();
    registry.add(Work, [](ActivityContext& ctx, const std::string&) -> std::string {
        ctx.output().name("build");
        ctx.output().err("no such file\n");
        throw std::runtime_error("it broke");
    });
    Process& p = add(std::move(registry));
    const InstanceName run = start();
    settle();
    p.executor.finish(0);
    settle();
    EXPECT_EQ(text(run), "no such file\n");
    EXPECT_EQ(page(run).attempts.at(0).source, "build");
}

TEST_F(Output, OfAHandlerThatIsStoppedIsKeptUntilItHasEnded) {
    Process& p = add(that_says("goodbye\n"));
    const InstanceName run = start();
    settle();
    write(p, "working\n");
    pass(Policy().output_interval);
    ASSERT_TRUE(client.cancel(run).ok());
    settle();
    write(p, "cleaning up\n");
    pass(Policy().output_interval);
    EXPECT_EQ(text(run), "working\ncleaning up\n");
    p.executor.finish(0);
    settle();
    EXPECT_EQ(text(run), "working\ncleaning up\ngoodbye\n");
    EXPECT_EQ(stopping(), 0U);
}

TEST_F(Output, OfAHandlerThatWasCanceledJustBeforeItsEndIsKept) {
    store.tell_nobody();
    Process& p = add(that_says("done\n"));
    const InstanceName run = start();
    for (int i = 0; i < 10 && p.executor.count() == 0; ++i) pass(Policy().poll_interval);
    ASSERT_EQ(p.executor.count(), 1U);
    // The worker hears of the cancel from the refusal of its result.
    Client elsewhere(*inner, clock);
    ASSERT_TRUE(elsewhere.cancel(run).ok());
    p.executor.finish(0);
    settle();
    EXPECT_EQ(text(run), "done\n");
    EXPECT_EQ(stopping(), 0U);
}

TEST_F(Output, OfAnAttemptThatIsGivenBackStaysInFrontOfTheNext) {
    Process& first = add(that_says("stopping\n"));
    const InstanceName run = start();
    settle();
    write(first, "half\n");
    settle();
    first.runtime->shut_down();
    settle();
    first.executor.finish(0);
    settle();
    EXPECT_TRUE(first.runtime->idle());
    Process& second = add(that_says("again\n"));
    settle();
    second.executor.finish(0);
    settle();
    EXPECT_EQ(text(run), "half\nstopping\nagain\n");
    EXPECT_EQ(page(run).attempts.size(), 1U) << "an attempt that is given back does not count";
}

TEST_F(Output, IsNotKeptTwiceAfterAnUnknownOutcome) {
    Process& p = add(that_says("end\n"));
    const InstanceName run = start();
    settle();
    store.fail_commit_of<AppendOutput>(Fault::applied_but_unknown);
    write(p, "one\n");
    pass(Policy().output_interval);
    EXPECT_EQ(text(run), "one\n");
    pass(Policy().retry_delay);
    EXPECT_EQ(text(run), "one\n");
    p.executor.finish(0);
    settle();
    EXPECT_EQ(text(run), "one\nend\n");
}

TEST_F(Output, ThatCouldNotBeWrittenComesWithTheEnd) {
    Process& p = add(that_says("end\n"));
    const InstanceName run = start();
    settle();
    store.fail_commit_of<AppendOutput>(Fault::not_applied);
    write(p, "one\n");
    pass(Policy().output_interval);
    EXPECT_EQ(text(run), "");
    p.executor.finish(0);
    settle();
    EXPECT_EQ(text(run), "one\nend\n");
    pass(Policy().retry_delay);
    EXPECT_EQ(text(run), "one\nend\n") << "the first try, sent again, finds no activity";
}

TEST_F(Output, ThatCannotBeEncodedDoesNotKeepTheEndFromBeingRecorded) {
    Process& p = add(that_says("secret\n"));
    const InstanceName run = start();
    settle();
    store.fail_alone<AppendOutput>(Errc::unreadable, "the key is missing");
    p.executor.finish(0);
    settle();
    EXPECT_EQ(status(run), Status::completed);
    EXPECT_EQ(text(run), "");
}

TEST_F(Output, ThatCouldNeverBeWrittenIsCountedByTheNext) {
    Process& p = add(that_says("end\n"));
    const InstanceName run = start();
    settle();
    store.fail_alone<AppendOutput>(Errc::unreadable, "the key is missing");
    write(p, "one\ntwo\n");
    pass(Policy().output_interval);
    EXPECT_EQ(text(run), "");
    p.executor.finish(0);
    settle();
    EXPECT_EQ(text(run), "end\n");
    EXPECT_EQ(page(run).attempts.at(0).left_out_bytes, 8U);
    EXPECT_EQ(page(run).attempts.at(0).left_out_lines, 2U);
}

TEST_F(Output, OfALostLeaseGoesNowhere) {
    Process& lost = add(that_says("too late\n"));
    const InstanceName run = start();
    settle();
    Process& other = add(that_says("mine\n"));
    clock.advance(Policy().activity_lease);
    while (other.runtime->step()) {
    }
    settle();
    lost.executor.finish(0);
    other.executor.finish(0);
    settle();
    EXPECT_EQ(text(run), "mine\n");
    EXPECT_EQ(page(run).attempts.at(0).attempt, 2U);
}

TEST_F(Output, OfAHandlerThatNobodyWaitsForAnyMoreGoesNowhere) {
    Process& p = add(that_says(""));
    const InstanceName run = start();
    settle();
    const auto buffer = p.executor.at(0).task->details().output;
    p.executor.finish(0);
    settle();
    buffer->write(OutputStream::out, "a thread that was left behind");
    pass(Policy().output_interval);
    EXPECT_EQ(text(run), "");
}

}  // namespace
}  // namespace belay::runtime_tests::output
