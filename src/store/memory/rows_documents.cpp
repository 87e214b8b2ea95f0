// Documents, and the runs that have them.
#include "base/sha256.hpp"
#include "store/memory/reads.hpp"
#include "store/memory/table_rows.hpp"

#include <utility>

namespace belay::memory {

void add_user(Tables& tables, const Run& run) {
    if (run.about.document) {
        tables.document_users[{run.about.name.space, *run.about.document}].insert(run.about.run);
    }
}

void remove_user(Tables& tables, const Run& run) {
    if (!run.about.document) return;
    const auto users = tables.document_users.find({run.about.name.space, *run.about.document});
    BELAY_ASSERT(users != tables.document_users.end() && users->second.erase(run.about.run) == 1);
    if (users->second.empty()) tables.document_users.erase(users);
}

bool TableRows::has_document(const store::DocumentKey& key) {
    return tables_.documents.contains(key);
}

std::uint64_t TableRows::last_document(const std::string& space, const std::string& name) {
    const auto numbers = tables_.document_numbers.find({space, name});
    if (numbers == tables_.document_numbers.end()) return 0;
    return numbers->second.rbegin()->first;
}

void TableRows::insert_document(const std::string& space,
                                const DocumentHead& head,
                                const Payload& text) {
    const bool fresh =
        tables_.documents.emplace(store::DocumentKey{space, head.digest}, Document{head, text})
            .second;
    BELAY_ASSERT(fresh);
    tables_.document_numbers[{space, head.name}].emplace(head.number, head.digest);
}

void TableRows::erase_document(const store::DocumentKey& key) {
    const auto found = tables_.documents.find(key);
    BELAY_ASSERT(found != tables_.documents.end());
    const auto numbers = tables_.document_numbers.find({key.first, found->second.head.name});
    BELAY_ASSERT(numbers != tables_.document_numbers.end());
    numbers->second.erase(found->second.head.number);
    if (numbers->second.empty()) tables_.document_numbers.erase(numbers);
    tables_.documents.erase(found);
}

bool TableRows::is_document_used(const store::DocumentKey& key) {
    return tables_.document_users.contains(key);
}

std::vector<std::string> document_problems(const Tables& tables) {
    std::vector<std::string> problems;
    const auto expect = [&](bool holds, const store::DocumentKey& key, const char* problem) {
        if (!holds) problems.push_back("document " + base::short_hex(key.second) + problem);
    };
    std::size_t numbered = 0;
    for (const auto& [name, numbers] : tables.document_numbers) numbered += numbers.size();
    for (const auto& [key, document] : tables.documents) {
        expect(tables.document_users.contains(key), key, " is kept for nobody");
        expect(document.head.digest == key.second, key, " is filed under another digest");
    }
    for (const auto& [key, users] : tables.document_users) {
        expect(tables.documents.contains(key), key, " is not kept for the runs that have it");
        expect(!users.empty(), key, " has an empty list of runs");
        for (const RunRef user : users) {
            const Run* run = find_run(tables, user);
            expect(run != nullptr && run->about.document == key.second, key, " lists a wrong run");
        }
    }
    if (numbered != tables.documents.size()) {
        problems.emplace_back("the numbers of documents have entries without a document");
    }
    return problems;
}

// ---- Reads -------------------------------------------------------------------------------------

ReadDocument::Answer read(const Tables& tables, const ReadDocument& request, Timestamp) {
    const auto found = tables.documents.find({request.space, request.digest});
    if (found == tables.documents.end()) return std::nullopt;
    return ReadDocument::Kept{found->second.head, found->second.text};
}

ListDocuments::Answer read(const Tables& tables, const ListDocuments& request, Timestamp) {
    ListDocuments::Answer page;
    for (const auto& [name, numbers] : tables.document_numbers) {
        if (name.first != request.space) continue;
        if (request.name && *request.name != name.second) continue;
        for (const auto& [number, digest] : numbers) {
            if (request.after && DocumentPlace{name.second, number} <= *request.after) continue;
            if (page.size() >= request.max) return page;
            const store::DocumentKey key{request.space, digest};
            page.push_back(
                DocumentInfo{tables.documents.at(key).head, tables.document_users.at(key).size()});
        }
    }
    return page;
}

}  // namespace belay::memory
