// Lists of idempotency keys.
#include "conformance/case.hpp"

#include <algorithm>

BELAY_CONFORMANCE_AREA(listing_keys)

namespace belay::conformance {
namespace {

class KeysCase : public Case {
protected:
    RunRef start_with(const std::string& id,
                      const std::string& owner,
                      const std::string& definition,
                      const std::string& key,
                      KeyScope scope = KeyScope::forever,
                      Millis window = Millis(0)) {
        Start part = op::start(instance(id));
        part.instance.owner = owner;
        part.instance.definition = definition;
        part.key = IdempotencyKey{key, scope, window};
        apply(part);
        return part.instance.run;
    }
    /// Keys of three owners and three definitions, with neighbours of what is looked for.
    void fill() {
        int last = 0;
        for (const char* owner : {"a", "b", "bb"}) {
            for (const char* definition : {"Import", "Order", "Orders"}) {
                for (const char* key : {"in", "in-1", "in-2", "io", "a", "z\xff"}) {
                    start_with("i" + std::to_string(++last), owner, definition, key);
                }
            }
        }
    }
    static ListKeys all() {
        ListKeys request;
        request.space = named("").space;
        request.max = 1000;
        return request;
    }
    static KeyPlace place(const KeyInfo& info) {
        return KeyPlace{info.owner, info.definition, info.key};
    }
    /// The rows that a list's filter must find among all, in one page and in small ones.
    void expect_keys(const ListKeys& request) {
        std::vector<KeyPlace> expected;
        for (const KeyInfo& one : read(all())) {
            if ((!request.owner || one.owner == *request.owner) &&
                (!request.definition || one.definition == *request.definition) &&
                one.key.starts_with(request.prefix)) {
                expected.push_back(place(one));
            }
        }
        for (const std::uint32_t size : {1U, 2U, 1000U}) {
            ListKeys page = request;
            page.max = size;
            std::vector<KeyPlace> found;
            while (true) {
                const auto keys = read(page);
                for (const KeyInfo& one : keys) found.push_back(place(one));
                if (keys.size() < size) break;
                page.after = found.back();
            }
            EXPECT_EQ(found, expected);
        }
    }
};

BELAY_CASE_OF(KeysCase, ListingKeys, AKeyAndItsRun) {
    const RunRef run = start_with("a", "team", "Order", "k", KeyScope::window, 1h);
    const auto keys = read(all());
    ASSERT_EQ(keys.size(), 1U);
    EXPECT_EQ(keys[0].owner, "team");
    EXPECT_EQ(keys[0].definition, "Order");
    EXPECT_EQ(keys[0].key, "k");
    EXPECT_EQ(keys[0].scope, KeyScope::window);
    EXPECT_EQ(keys[0].until, now() + 1h);
    EXPECT_EQ(keys[0].instance.run, run);
    EXPECT_EQ(keys[0].instance.name, named("a"));
    EXPECT_EQ(keys[0].instance.status, Status::pending);
    EXPECT_FALSE(keys[0].instance.deleted);
    EXPECT_TRUE(keys[0].taken);
}

BELAY_CASE_OF(KeysCase, ListingKeys, InTheirOrder) {
    EXPECT_TRUE(read(all()).empty());
    fill();
    const auto keys = read(all());
    EXPECT_EQ(keys.size(), 54U);
    EXPECT_TRUE(std::is_sorted(keys.begin(), keys.end(), [](const auto& a, const auto& b) {
        return place(a) < place(b);
    }));
    ListKeys elsewhere = all();
    elsewhere.space = "elsewhere";
    EXPECT_TRUE(read(elsewhere).empty());
}

BELAY_CASE_OF(KeysCase, ListingKeys, ByOwnerDefinitionAndPrefix) {
    fill();
    const std::vector<std::optional<std::string>> owners{std::nullopt, "a", "b", "bb", "c", "ab"};
    const std::vector<std::optional<std::string>> definitions{
        std::nullopt, "Import", "Order", "Orders", "A", "Ordering", "Z"};
    for (const auto& owner : owners) {
        for (const auto& definition : definitions) {
            for (const char* prefix : {"", "in", "in-", "i", "z\xff", "y", "\xff"}) {
                ListKeys request = all();
                request.owner = owner;
                request.definition = definition;
                request.prefix = prefix;
                expect_keys(request);
            }
        }
    }
}

BELAY_CASE_OF(KeysCase, ListingKeys, WhetherTheyAreTaken) {
    const RunRef active = start_with("a", "o", "D", "active", KeyScope::while_active);
    const RunRef success = start_with("b", "o", "D", "success", KeyScope::until_success);
    start_with("c", "o", "D", "window", KeyScope::window, 1min);
    const auto taken = [&] {
        std::vector<bool> list;
        for (const KeyInfo& one : read(all())) list.push_back(one.taken);
        return list;
    };
    EXPECT_EQ(taken(), (std::vector<bool>{true, true, true}));
    apply(next_turn(active));
    end(active);
    apply(next_turn(success));
    end(success, failed());
    advance(1min);
    EXPECT_EQ(taken(), (std::vector<bool>{false, false, false}));
    EXPECT_EQ(read(all())[1].instance.status, Status::failed);
}

BELAY_CASE_OF(KeysCase, ListingKeys, OfADeletedInstance) {
    const RunRef run = start_with("a", "o", "D", "kept");
    start_with("b", "o", "D", "gone", KeyScope::while_active);
    apply(next_turn(run));
    end(run);
    apply(op::force_delete(named("a")));
    apply(op::force_delete(named("b")));
    const auto keys = read(all());
    ASSERT_EQ(keys.size(), 1U);
    EXPECT_EQ(keys[0].key, "kept");
    EXPECT_TRUE(keys[0].instance.deleted);
    EXPECT_EQ(keys[0].instance.status, Status::completed);
    EXPECT_EQ(keys[0].instance.name, named("a"));
    EXPECT_TRUE(keys[0].taken);
    FreeKey free;
    free.space = named("").space;
    free.owner = "o";
    free.definition = "D";
    free.key = "kept";
    apply(free);
    EXPECT_TRUE(read(all()).empty());
}

}  // namespace
}  // namespace belay::conformance
