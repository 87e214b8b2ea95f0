// Many activities at once: each text is counted by an activity of its own, and the sum is made when
// all are done.
#include "embedded.hpp"
#include <belay/orchestration.hpp>

#include <sstream>
#include <utility>
#include <vector>

namespace {

inline constexpr belay::Activity<int(std::string)> CountWords{"CountWords"};
inline constexpr belay::Definition<int(int)> CountAll{"CountAll"};

std::string text_number(int i) {
    std::string text;
    for (int word = 0; word < i; ++word) text += "word ";
    return text;
}

belay::Orchestration<int> count_all(belay::OrchestrationContext ctx, int texts) {
    std::vector<belay::Call<int>> calls;
    for (int i = 1; i <= texts; ++i) calls.push_back(ctx.call(CountWords, text_number(i)));
    const std::vector<int> counts = co_await ctx.join(std::move(calls));
    int sum = 0;
    for (const int count : counts) sum += count;
    co_return sum;
}

int count_words(const std::string& text) {
    std::istringstream words(text);
    int count = 0;
    for (std::string word; words >> word;) ++count;
    return count;
}

void fan_out() {
    belay::Registry registry;
    registry.add(CountAll, count_all);
    registry.add(CountWords, count_words);
    examples::Embedded embedded(registry);
    const auto name = embedded.start(CountAll, "texts", 100);
    examples::say("100 texts have " + std::to_string(embedded.wait(CountAll, name).value()) +
                  " words");
}

}  // namespace

int main() { return examples::run(fan_out); }
