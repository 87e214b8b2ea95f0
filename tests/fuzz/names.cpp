// Text from outside: names, reasons, and how they are shown.
#include "store/names.hpp"

#include "base/utf8.hpp"
#include "fuzz/target.hpp"
#include <belay/ids.hpp>

#include <algorithm>

using namespace belay;

namespace {

bool is_utf8(std::string_view text) {
    while (!text.empty()) {
        const std::size_t length = base::utf8_sequence(text);
        if (length == 0) return false;
        fuzz::require(length <= text.size() && length <= 4, "a sequence is inside the text");
        text.remove_prefix(length);
    }
    return true;
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    std::string_view rest = fuzz::text_of(data, size);
    const std::size_t most = fuzz::take_byte(rest);
    const bool valid = is_utf8(rest);
    const bool name = check_name("the name", rest, most).ok();
    fuzz::require(!name || (valid && !rest.empty() && rest.size() <= most), "a name is valid text");

    const std::string shown = base::printable(rest, most);
    fuzz::require(is_utf8(shown), "what is shown is text");
    fuzz::require(std::none_of(shown.begin(), shown.end(), [](char one) { return one == '\n'; }),
                  "what is shown is one line");
    const std::string cut = base::shortened(std::string(rest), most);
    fuzz::require(!valid || is_utf8(cut), "no character is cut in two");
    fuzz::require(rest.size() > most || cut == rest, "what is short enough stays as it is");

    fuzz::require(rest.starts_with(root_of(rest)), "a root is a beginning");
    fuzz::require(shard_of(rest).value < kShardCount, "a shard there is");
    fuzz::require(shard_of(root_of(rest)) == shard_of(rest), "a tree is in one shard");

    NewInstance instance;
    instance.name = InstanceName{"default", std::string(rest)};
    instance.definition = "Test";
    const std::size_t bytes = Limits().name_bytes;
    fuzz::require(check_names(instance).ok() == check_instance_id("id", rest, bytes).ok(),
                  "an id is an id for a store");
    fuzz::require(!check_name("id", rest, bytes).ok() || check_names(instance).ok(),
                  "a name is an id");
    return 0;
}
