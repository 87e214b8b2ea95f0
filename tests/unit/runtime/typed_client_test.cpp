// Values that a client sends and reads, and codecs that throw.
#include "world.hpp"

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace belay::runtime_tests::typed_client {

/// Neither encoded nor decoded, for a reason that it names.
struct Thorny {
    int how = 0;
};

[[noreturn]] inline void refuse(int how) {
    if (how == 0) throw DecodeError("no thorns here");
    if (how == 1) throw std::logic_error("no thorns at all");
    throw how;
}

}  // namespace belay::runtime_tests::typed_client

template <>
struct belay::Codec<belay::runtime_tests::typed_client::Thorny> {
    static Payload encode(const runtime_tests::typed_client::Thorny& value) {
        runtime_tests::typed_client::refuse(value.how);
    }
    static runtime_tests::typed_client::Thorny decode(const Payload& payload) {
        runtime_tests::typed_client::refuse(Codec<int>::decode(payload));
    }
};

namespace belay::runtime_tests::typed_client {
namespace {

inline constexpr Definition<void(Thorny)> Rose{"Rose"};
inline constexpr Definition<void(std::int8_t)> Small{"Small"};

Orchestration<std::string> collects(OrchestrationContext ctx, std::string) {
    for (int how = 0; how < 3; ++how) ctx.set_value("k" + std::to_string(how), how);
    const std::vector<int> numbers = co_await ctx.receive<std::vector<int>>("numbers");
    const std::string word = co_await ctx.wait<std::string>("word");
    co_return word + " " + std::to_string(numbers.size());
}

using TypedClient = World;

TEST_F(TypedClient, AMessageIsReceivedAsItsType) {
    process(registry_with(collects));
    const auto run = start();
    settle();
    const std::vector<int> numbers{1, 2, 3};
    ASSERT_TRUE(client.enqueue(run, "numbers", numbers).ok());
    ASSERT_TRUE(client.raise(run, "word", "sent").ok());
    settle();
    ASSERT_EQ(status(run), Status::completed);
    EXPECT_EQ(info(run).outcome->output, Payload::text("sent 3"));
}

TEST_F(TypedClient, AValueAndItsPayloadAreTheSameRequest) {
    const auto run = start();
    ASSERT_TRUE(client.raise(run, "e", "1", "r1").ok());
    EXPECT_TRUE(client.raise(run, "e", Payload::text("1"), "r1").ok());
    EXPECT_EQ(client.raise(run, "e", 1, "r1").error().code(), Errc::request_id_reused);
    ASSERT_TRUE(client.enqueue(run, "q", 1, "r2").ok());
    EXPECT_TRUE(client.enqueue(run, "q", Codec<int>::encode(1), "r2").ok());
    EXPECT_EQ(client.enqueue(run, "q", "1", "r2").error().code(), Errc::request_id_reused);
}

TEST_F(TypedClient, AnyExceptionOfACodecIsAnError) {
    process(registry_with(collects));
    const auto run = start();
    settle();
    const std::string reasons[] = {"no thorns here",
                                   "no thorns at all",
                                   "its Codec threw something that is not a std::exception"};
    for (int how = 0; how < 3; ++how) {
        const std::string key = "k" + std::to_string(how);
        const std::string why = ": " + reasons[how];
        const auto read = client.value<Thorny>(run, key);
        ASSERT_FALSE(read.ok());
        EXPECT_EQ(read.error().code(), Errc::invalid_argument);
        EXPECT_EQ(read.error().message(), "the value of key '" + key + "'" + why);

        const auto started = client.start(Rose, StartOptions().id("rose"), Thorny{how});
        ASSERT_FALSE(started.ok());
        EXPECT_EQ(started.error().code(), Errc::invalid_argument);
        EXPECT_EQ(started.error().message(), "the input" + why);

        const auto raised = client.raise(run, "word", Thorny{how});
        ASSERT_FALSE(raised.ok());
        EXPECT_EQ(raised.error().code(), Errc::invalid_argument);
        EXPECT_EQ(raised.error().message(), "the value of the event" + why);

        const auto sent = client.enqueue(run, "numbers", Thorny{how});
        ASSERT_FALSE(sent.ok());
        EXPECT_EQ(sent.error().message(), "the message" + why);
    }
    EXPECT_EQ(client.inspect({"default", "rose"}).error().code(), Errc::not_found)
        << "nothing was started";
}

TEST_F(TypedClient, ANumberThatDoesNotFitItsParameterIsAnError) {
    const auto started = client.start(Small, StartOptions().id("small"), 300);
    ASSERT_FALSE(started.ok());
    EXPECT_EQ(started.error().code(), Errc::invalid_argument);
    EXPECT_NE(started.error().message().find("300 does not fit"), std::string::npos);
}

TEST_F(TypedClient, AnActivityHasAClientInTheNamespaceOfItsRun) {
    Registry registry;
    registry.add(Main, one_step);
    registry.add(Work, [](ActivityContext& ctx, const std::string& what) {
        Client mine = ctx.client();
        mine.raise(ctx.instance_id(), "packed", what).or_throw();
        return mine.start("Other", Payload(), StartOptions().id("from-an-activity"))
            .or_throw()
            .name()
            .space;
    });
    Process& worker = process(std::move(registry));
    const InstanceName name{"shop", "i1"};
    ASSERT_TRUE(client.start(Main, StartOptions().id(name.id).space(name.space), "x").ok());
    settle();
    worker.executor.finish(0);
    EXPECT_EQ(info(name).ready_messages, 1U) << "the event";
    settle();
    EXPECT_EQ(info(name).outcome->output, Payload::text("shop"));
    EXPECT_EQ(status({"shop", "from-an-activity"}), Status::pending);
}

TEST_F(TypedClient, AnActivityWithoutAStoreHasNoClient) {
    const auto task = std::make_shared<ActivityTask>(
        ActivityDetails{},
        Payload(),
        ActivityHandler::Function([](ActivityContext& ctx, const Payload&) {
            EXPECT_THROW((void)ctx.client(), std::logic_error);
            return Payload();
        }));
    EXPECT_TRUE(std::holds_alternative<Payload>(task->run()));
}

}  // namespace
}  // namespace belay::runtime_tests::typed_client
