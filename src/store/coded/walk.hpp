// The places with data to be coded in everything that is written to a store and that it answers.
//
// Every part and every answer is taken apart here member by member, whether or not there is
// something to code in it. So a new member, part or read does not compile until somebody has
// decided if it is coded.
#pragma once

#include <belay/store/store.hpp>

#include <string>

namespace belay::coded {

/// Visits everything that is coded. `what` names it in errors: "its input".
class Visitor {
public:
    virtual ~Visitor() = default;
    virtual void visit(Payload& payload, const char* what) = 0;
    virtual void visit(HistoryRow& row) = 0;
    /// Visits a text that may quote payloads.
    virtual void visit(std::string& text) = 0;
};

void walk(Visitor& visitor, Part& part);

void walk(Visitor& visitor, ClaimedInstance& claimed);
void walk(Visitor& visitor, ClaimedActivity& claimed);

void walk(Visitor& visitor, ReadInstance::Answer& answer);
void walk(Visitor& visitor, ReadInstances::Answer& answer);
void walk(Visitor& visitor, ReadHistory::Answer& answer);
void walk(Visitor& visitor, ListExecutions::Answer& answer);
void walk(Visitor& visitor, ListChildren::Answer& answer);  // Also for that of ListTree.
void walk(Visitor& visitor, SelectInstances::Answer& answer);
void walk(Visitor& visitor, ListOutcomes::Answer& answer);
void walk(Visitor& visitor, ReadRetention::Answer& answer);
void walk(Visitor& visitor, ReadDeadHolders::Answer& answer);
void walk(Visitor& visitor, ReadDocument::Answer& answer);
void walk(Visitor& visitor, ListDocuments::Answer& answer);
void walk(Visitor& visitor, KeyValues::Answer& answer);
void walk(Visitor& visitor, ListDeadLetters::Answer& answer);
void walk(Visitor& visitor, ListActivities::Answer& answer);
void walk(Visitor& visitor, CheckLeases::Answer& answer);
void walk(Visitor& visitor, ListInstances::Answer& answer);
void walk(Visitor& visitor, CountInstances::Answer& answer);
void walk(Visitor& visitor, CountQueues::Answer& answer);
void walk(Visitor& visitor, ListKeys::Answer& answer);
void walk(Visitor& visitor, ListLeases::Answer& answer);
void walk(Visitor& visitor, ReadOpenWork::Answer& answer);
void walk(Visitor& visitor, ReadOutput::Answer& answer);

// Members that parts and answers share.
void walk(Visitor& visitor, NewMessage& message, const char* what);
void walk(Visitor& visitor, Outcome& outcome);

}  // namespace belay::coded
