// EXPECT: destroy what this function object holds twice.*give it a name in a statement of its own
// COMPILERS: gcc

#include <belay/async.hpp>

belay::Async<int> code(belay::ActivityContext& ctx, std::string text) {
#ifdef BELAY_CONTROL
    const auto call = [text] { return static_cast<int>(text.size()); };
    const int size = co_await ctx.run(call);
    const int same = co_await ctx.run([&text] { return static_cast<int>(text.size()); });
    co_return size + same;
#else
    co_return co_await ctx.run([text] { return static_cast<int>(text.size()); });
#endif
}
