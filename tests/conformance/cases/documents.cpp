// Documents: kept with the first run that has one, removed with the last, and claimed by those who
// interpret them.
#include "conformance/case.hpp"

#include <thread>

BELAY_CONFORMANCE_AREA(documents)

namespace belay::conformance {
namespace {

class DocumentsCase : public Case {
protected:
    static constexpr Millis kPatience{10'000};
    static constexpr Millis kBackoff{1'000};

    static Digest digest(std::uint8_t seed) {
        Digest made{};
        made.fill(seed);
        return made;
    }
    static Payload text(std::uint8_t seed) {
        return Payload::text("document " + std::to_string(seed));
    }
    /// A start with the document, and with its text.
    [[nodiscard]] Start start_with(std::string id, std::uint8_t seed) {
        Start part = op::start(instance(std::move(id)));
        part.instance.document = digest(seed);
        part.document = text(seed);
        return part;
    }
    /// A start that only names the document.
    [[nodiscard]] Start start_naming(std::string id, std::uint8_t seed) {
        Start part = start_with(std::move(id), seed);
        part.document.reset();
        return part;
    }
    [[nodiscard]] NewChild child_of(RunRef run, std::string id, std::uint8_t seed) {
        NewChild child;
        child.instance = instance(std::move(id));
        child.instance.parent = ParentLink{run, 1, 1};
        child.instance.document = digest(seed);
        return child;
    }
    [[nodiscard]] ReadDocument::Answer kept(std::uint8_t seed, Where where = Where::current()) {
        return read(ReadDocument{"default", digest(seed)}, where);
    }
    [[nodiscard]] std::vector<DocumentInfo> list(Where where = Where::current()) {
        ListDocuments request;
        request.space = "default";
        return read(request, where);
    }
    void remove(std::string id, Where where = Where::current()) {
        apply(op::force_delete(named(std::move(id))), where);
    }
    [[nodiscard]] ClaimInstances claim_request(std::vector<ClaimInstances::Code> code,
                                               bool interprets) {
        ClaimInstances request = op::claim_instance(fresh_token(), "worker", kLease);
        request.max = 100;
        request.code = std::move(code);
        request.interprets = interprets;
        request.patience = kPatience;
        request.backoff = request.backoff_max = kBackoff;
        return request;
    }
};

BELAY_CASE_OF(DocumentsCase, Documents, ADocumentIsKeptOnce) {
    const Timestamp first = now();
    apply(start_with("a", 1));
    advance(1s);
    apply(start_with("b", 1));
    const auto one = kept(1);
    ASSERT_TRUE(one.has_value());
    EXPECT_EQ(one->text, text(1));
    EXPECT_EQ(one->head, (DocumentHead{digest(1), "Order", 1, first}));
    ASSERT_EQ(list().size(), 1U);
    EXPECT_EQ(list()[0].runs, 2U);
    EXPECT_EQ(list()[0].head, one->head);
    EXPECT_EQ(found("a").document, digest(1));
    EXPECT_EQ(found("a").document_number, 1U);
}

BELAY_CASE_OF(DocumentsCase, Documents, WhoKnowsItIsKeptNeedNotSendTheText) {
    EXPECT_TRUE(refused(commit(start_naming("a", 1)), Errc::not_found));
    EXPECT_FALSE(find("a").has_value());
    apply(start_with("a", 1));
    apply(start_naming("b", 1));
    EXPECT_EQ(list()[0].runs, 2U);
}

BELAY_CASE_OF(DocumentsCase, Documents, ATextNeedsADigest) {
    Start part = start_with("a", 1);
    part.instance.document.reset();
    EXPECT_TRUE(refused(commit(part), Errc::invalid_argument));
}

BELAY_CASE_OF(DocumentsCase, Documents, ARunWithoutOneHasNone) {
    start("a");
    EXPECT_EQ(found("a").document, std::nullopt);
    EXPECT_EQ(found("a").document_number, 0U);
    EXPECT_TRUE(list().empty());
    EXPECT_FALSE(kept(1).has_value());
}

BELAY_CASE_OF(DocumentsCase, Documents, ARefusedStartKeepsNone) {
    start("a");
    EXPECT_TRUE(refused(commit(start_with("a", 1)), Errc::id_in_use));
    EXPECT_FALSE(kept(1).has_value());
}

BELAY_CASE_OF(DocumentsCase, Documents, ItIsRemovedWithItsLastRun) {
    apply(start_with("a", 1));
    apply(start_with("b", 1));
    remove("a");
    EXPECT_TRUE(kept(1).has_value());
    remove("b");
    EXPECT_FALSE(kept(1).has_value());
    EXPECT_TRUE(list().empty());
    apply(start_with("a", 1));
    EXPECT_TRUE(kept(1).has_value()) << "it can come back";
}

BELAY_CASE_OF(DocumentsCase, Documents, AWholeListIsDeletedWithItsDocuments) {
    apply(start_with("a", 1));
    apply(start_with("b", 1));
    apply(start_with("c", 2));
    apply(op::delete_instances_atomic("default", {"a", "b", "c"}, true));
    EXPECT_TRUE(list().empty());
}

BELAY_CASE_OF(DocumentsCase, Documents, AChildKeepsItsDocument) {
    const RunRef parent = apply(start_with("a", 1)).instance->run;
    Turn turn = next_turn(parent);
    turn.children.push_back(child_of(parent, "a/child", 1));
    apply(turn);
    EXPECT_EQ(list()[0].runs, 2U);
    EXPECT_EQ(found("a/child").document, digest(1));
    remove("a");
    EXPECT_TRUE(list().empty()) << "both went";
}

BELAY_CASE_OF(DocumentsCase, Documents, ADetachedRunKeepsItWhenItsStarterIsGone) {
    const RunRef starter = apply(start_with("a", 1)).instance->run;
    Turn turn = next_turn(starter);
    NewChild detached = child_of(starter, "b", 1);
    detached.instance.parent.reset();
    turn.children.push_back(detached);
    apply(turn);
    remove("a");
    EXPECT_TRUE(kept(1).has_value());
    remove("b");
    EXPECT_FALSE(kept(1).has_value());
}

BELAY_CASE_OF(DocumentsCase, Documents, AChildNamesOnlyWhatIsKept) {
    const RunRef parent = start_running("a");
    Turn turn = next_turn(parent);
    turn.children.push_back(child_of(parent, "a/child", 1));
    EXPECT_TRUE(refused(commit(turn), Errc::not_found));
    EXPECT_FALSE(find("a/child").has_value());
    apply(start_with("b", 1));
    apply(turn);
    EXPECT_EQ(found("a/child").document, digest(1));
    remove("b");
    EXPECT_TRUE(kept(1).has_value()) << "the child has it now";
}

BELAY_CASE_OF(DocumentsCase, Documents, AFusedFirstTurnMayStartAChildWithIt) {
    const Start start = start_with("a", 1);
    Turn turn;
    turn.run = start.instance.run;
    turn.history = events(1);
    turn.children.push_back(child_of(turn.run, "a/child", 1));
    apply(fuse(start, turn));
    EXPECT_EQ(list()[0].runs, 2U);
}

BELAY_CASE_OF(DocumentsCase, Documents, ADeletionInTheSameTransitionLeavesItOpen) {
    apply(start_with("a", 1));
    EXPECT_TRUE(refused(commit(fuse(op::force_delete(named("a")), start_naming("b", 1))),
                        Errc::invalid_argument));
    apply(fuse(op::force_delete(named("a")), start_with("b", 1)));
    EXPECT_EQ(kept(1)->text, text(1)) << "it went and came back";
    apply(fuse(start_naming("c", 1), op::force_delete(named("b"))));
    EXPECT_TRUE(kept(1).has_value()) << "the new run has it";
    const RunRef run = found("c").run;
    Turn turn = next_turn(run);
    turn.children.push_back(child_of(run, "c/child", 1));
    start("d");
    apply(fuse(op::force_delete(named("d")), turn));
    EXPECT_EQ(list()[0].runs, 2U) << "a run pins its own";
}

BELAY_CASE_OF(DocumentsCase, Documents, TheyAreNumberedByName) {
    apply(start_with("a", 3));
    apply(start_with("b", 1));
    Start other = start_with("c", 2);
    other.instance.definition = "Other";
    apply(other);
    apply(start_with("d", 4));
    const auto all = list();
    ASSERT_EQ(all.size(), 4U);
    EXPECT_EQ(all[0].head.digest, digest(3));
    EXPECT_EQ(all[0].head.number, 1U);
    EXPECT_EQ(all[1].head.digest, digest(1));
    EXPECT_EQ(all[1].head.number, 2U);
    EXPECT_EQ(all[2].head.digest, digest(4));
    EXPECT_EQ(all[2].head.number, 3U);
    EXPECT_EQ(all[3].head.name, "Other");
    EXPECT_EQ(all[3].head.number, 1U);
    remove("a");
    apply(start_with("e", 5));
    EXPECT_EQ(kept(5)->head.number, 4U) << "a newer one has a greater number";
}

BELAY_CASE_OF(DocumentsCase, Documents, TheyAreListedInPages) {
    for (std::uint8_t i = 1; i <= 5; ++i) apply(start_with("a" + std::to_string(i), i));
    Start other = start_with("b", 9);
    other.instance.definition = "Other";
    apply(other);
    ListDocuments request;
    request.space = "default";
    request.max = 2;
    std::vector<std::uint64_t> numbers;
    for (int pages = 0; pages < 10; ++pages) {
        const auto page = read(request);
        EXPECT_LE(page.size(), 2U);
        if (page.empty()) break;
        for (const DocumentInfo& one : page) numbers.push_back(one.head.number);
        request.after = DocumentPlace{page.back().head.name, page.back().head.number};
    }
    EXPECT_EQ(numbers, (std::vector<std::uint64_t>{1, 2, 3, 4, 5, 1}));
    request.after = DocumentPlace{"Order", 4};
    request.name = "Order";
    request.max = 50;
    ASSERT_EQ(read(request).size(), 1U);
    EXPECT_EQ(read(request)[0].head.number, 5U);
    request.name = "Other";
    EXPECT_EQ(read(request).size(), 1U);
    request.after = DocumentPlace{"Zebra", 1};
    EXPECT_TRUE(read(request).empty());
}

BELAY_CASE_OF(DocumentsCase, Documents, EachNamespaceHasItsOwn) {
    apply(start_with("a", 1));
    Start other = start_naming("a", 1);
    other.instance.name.space = "other";
    EXPECT_TRUE(refused(commit(other), Errc::not_found));
    other.document = text(1);
    apply(other);
    remove("a");
    EXPECT_FALSE(kept(1).has_value());
    EXPECT_TRUE(read(ReadDocument{"other", digest(1)}).has_value());
}

BELAY_CASE_OF(DocumentsCase, Documents, TwoSimultaneousStartsKeepItOnce) {
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
        threads.emplace_back([&, i] {
            for (int n = 0; n < 5; ++n) {
                (void)commit(start_with("a" + std::to_string(i) + "-" + std::to_string(n), 1));
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    ASSERT_EQ(list().size(), 1U);
    EXPECT_EQ(list()[0].runs, 20U);
    EXPECT_EQ(list()[0].head.number, 1U);
}

BELAY_CASE_OF(DocumentsCase, Documents, ALongTextIsKept) {
    Start part = start_with("a", 1);
    part.document = Payload::text(std::string(200'000, 'x'));
    apply(part);
    EXPECT_EQ(kept(1)->text, part.document);
}

BELAY_CASE_OF(DocumentsCase, Documents, AnImportBringsItsDocument) {
    Import part;
    part.instance = instance("a");
    part.instance.document = digest(1);
    part.outcome = completed("done");
    part.created_at = part.ended_at = now();
    part.executions = {ImportedExecution{1, now(), now(), {}}};
    EXPECT_TRUE(refused(commit(part), Errc::not_found));
    part.document = text(1);
    apply(part);
    EXPECT_EQ(found("a").document, digest(1));
    EXPECT_EQ(kept(1)->text, text(1));
    remove("a");
    EXPECT_FALSE(kept(1).has_value());
}

// ---- Claims ------------------------------------------------------------------------------------

BELAY_CASE_OF(DocumentsCase, Documents, OnlyInterpretersClaimARunWithOne) {
    apply(start_with("a", 1));
    EXPECT_TRUE(claim_instances(claim_request({{"Order"}}, false)).empty())
        << "its definition does not matter";
    const auto claimed = claim_instances(claim_request({}, true));
    ASSERT_EQ(claimed.size(), 1U);
    EXPECT_EQ(claimed[0].document, digest(1));
}

BELAY_CASE_OF(DocumentsCase, Documents, AnInterpreterLeavesOtherRunsAlone) {
    start("a");
    EXPECT_TRUE(claim_instances(claim_request({}, true)).empty());
    const auto claimed = claim_instances(claim_request({{"Order"}}, true));
    ASSERT_EQ(claimed.size(), 1U);
    EXPECT_EQ(claimed[0].document, std::nullopt);
}

BELAY_CASE_OF(DocumentsCase, Documents, AClaimOfAnyCodeTakesThemToo) {
    const RunRef run = apply(start_with("a", 1)).instance->run;
    EXPECT_EQ(claim(run).document, digest(1));
}

BELAY_CASE_OF(DocumentsCase, Documents, WithoutAnInterpreterARunIsPutOff) {
    const RunRef run = apply(start_with("a", 1)).instance->run;
    EXPECT_EQ(claim_with_hint(claim_request({{"Order"}}, false)).ready_in, kPatience);
    advance(kPatience);
    EXPECT_EQ(claim_with_hint(claim_request({{"Order"}}, false)).ready_in, kBackoff);
    EXPECT_TRUE(info(run).code_missing_since.has_value());
    EXPECT_TRUE(claim_instances(claim_request({{"Order"}}, false)).empty());
    EXPECT_TRUE(info(run).code_missing_since.has_value()) << "that was no interpreter";
    const auto claimed = claim_instances(claim_request({}, true));
    ASSERT_EQ(claimed.size(), 1U) << "an interpreter brings it back at once";
    EXPECT_EQ(info(run).code_missing_since, std::nullopt);
}

BELAY_CASE_OF(DocumentsCase, Documents, ANamedRunIsClaimedByInterpretersOnly) {
    const RunRef run = apply(start_with("a", 1)).instance->run;
    ClaimInstances request = claim_request({{"Order"}}, false);
    request.run = run;
    EXPECT_TRUE(claim_instances(request).empty());
    request = claim_request({}, true);
    request.run = run;
    EXPECT_EQ(claim_instances(request).size(), 1U);
}

}  // namespace
}  // namespace belay::conformance
