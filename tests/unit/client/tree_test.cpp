// Trees through the client, and deletion of exactly what is listed.
#include "management_fixture.hpp"

namespace belay::management_tests {
namespace {

class Trees : public Management {};

BELAY_ON_EVERY_STORE(Trees);

TEST_P(Trees, test_delete_get_instance_tree) {
    const RunRef root = running("p");
    const RunRef middle = child(root, 1, "p/c");
    child(middle, 1, "p/c/g");
    const auto tree = client.get_instance_tree(named("p"));
    ASSERT_TRUE(tree.ok());
    EXPECT_EQ(tree->root_id, "p");
    EXPECT_EQ(tree->all_ids, (Ids{"p/c/g", "p/c", "p"})) << "children before their parents";
    EXPECT_EQ(tree->size(), 3U);
    EXPECT_FALSE(tree->is_root_only());
    EXPECT_TRUE(client.get_instance_tree(named("p/c/g"))->is_root_only());
    EXPECT_EQ(client.get_instance_tree(named("nobody")).error().code(), Errc::not_found);
}

TEST_P(Trees, test_delete_get_parent_id) {
    const RunRef root = running("p");
    child(root, 1, "p/c");
    EXPECT_EQ(client.get_parent_id(named("p/c")).value(), "p");
    EXPECT_EQ(client.get_parent_id(named("p")).value(), std::nullopt);
    EXPECT_EQ(client.get_parent_id(named("nobody")).error().code(), Errc::not_found);
}

TEST_P(Trees, test_list_children) {
    const RunRef root = running("p");
    const RunRef first = child(root, 1, "p/b");
    child(first, 1, "p/b/g");
    child(root, 2, "p/a");
    EXPECT_EQ(client.list_children(named("p")).value(), (Ids{"p/b", "p/a"}));
    EXPECT_TRUE(client.list_children(named("p/a"))->empty());
    EXPECT_TRUE(client.list_children(named("nobody"))->empty());
}

TEST_P(Trees, test_delete_instances_atomic) {
    const RunRef root = running("p");
    end(child(root, 1, "p/c"));
    end(root);
    const auto tree = client.get_instance_tree(named("p"));
    const auto counts = client.delete_instances_atomic("default", tree->all_ids);
    ASSERT_TRUE(counts.ok());
    EXPECT_EQ(counts->instances, 2U);
    EXPECT_FALSE(is_there("p") || is_there("p/c"));
}

TEST_P(Trees, AChildStartedBetweenReadingATreeAndItsDeletionIsNoOrphan) {
    const RunRef root = running("p");
    child(root, 1, "p/a");
    Ids ids = client.get_instance_tree(named("p"))->all_ids;
    child(root, 2, "p/b");
    const auto refused = client.delete_instances_atomic("default", ids, true);
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().code(), Errc::has_children);
    EXPECT_NE(refused.error().message().find("p/b"), std::string::npos);
    EXPECT_TRUE(is_there("p") && is_there("p/a") && is_there("p/b"));
    ids = client.get_instance_tree(named("p"))->all_ids;
    EXPECT_EQ(client.delete_instances_atomic("default", ids, true)->instances, 3U);
}

TEST_P(Trees, AListWhoseDeletionIsUnknownIsSentAgainAndCountedOnce) {
    ended("a");
    ended("b");
    store.fail_commit_of<DeleteInstances>(Fault::applied_but_unknown);
    const auto counts = client.delete_instances_atomic("default", {"a", "b"});
    ASSERT_TRUE(counts.ok());
    EXPECT_EQ(counts->instances, 2U);
}

TEST_P(Trees, ARequestIdIsForOneListOnly) {
    ended("a");
    ended("b");
    ASSERT_TRUE(client.delete_instances_atomic("default", {"a"}, false, "r").ok());
    EXPECT_EQ(client.delete_instances_atomic("default", {"a"}, false, "r")->instances, 1U);
    EXPECT_EQ(client.delete_instances_atomic("default", {"b"}, false, "r").error().code(),
              Errc::request_id_reused);
    EXPECT_EQ(client.delete_instances_atomic("default", {"a"}, true, "r").error().code(),
              Errc::request_id_reused);
    EXPECT_TRUE(is_there("b"));
}

TEST_P(Trees, ListsAreChecked) {
    EXPECT_EQ(client.delete_instances_atomic("default", {}).error().code(), Errc::invalid_argument);
    EXPECT_EQ(client.delete_instances_atomic("default", {"a\nb"}).error().code(),
              Errc::invalid_argument);
    EXPECT_EQ(client.delete_instances_atomic("default", {"nobody"}).error().code(),
              Errc::not_found);
}

}  // namespace
}  // namespace belay::management_tests
