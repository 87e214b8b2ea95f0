// Where in what is written to a store, and in what it answers, there is something to be coded.
//
// Every part and every answer is taken apart here member by member, with or without something to be
// coded in it: a new member, a new part and a new read do not compile until somebody has decided
// whether it is coded.
#pragma once

#include <belay/store/store.hpp>

#include <string>

namespace belay::coded {

/// Is shown everything that is coded. `what` names it in errors: "its input".
class Visitor {
public:
    virtual ~Visitor() = default;
    virtual void visit(Payload& payload, const char* what) = 0;
    virtual void visit(HistoryRow& row) = 0;
    /// A text that may quote payloads.
    virtual void visit(std::string& text) = 0;
};

void walk(Visitor& visitor, Part& part);

void walk(Visitor& visitor, ClaimedInstance& claimed);
void walk(Visitor& visitor, ClaimedActivity& claimed);

void walk(Visitor& visitor, ReadInstance::Answer& answer);
void walk(Visitor& visitor, ReadInstances::Answer& answer);
void walk(Visitor& visitor, ReadHistory::Answer& answer);
void walk(Visitor& visitor, ListExecutions::Answer& answer);
void walk(Visitor& visitor, ListChildren::Answer& answer);  // And that of ListTree.
void walk(Visitor& visitor, SelectInstances::Answer& answer);
void walk(Visitor& visitor, ListOutcomes::Answer& answer);
void walk(Visitor& visitor, ReadRetention::Answer& answer);
void walk(Visitor& visitor, ReadDeadHolders::Answer& answer);
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

// What parts and answers have in common.
void walk(Visitor& visitor, NewMessage& message, const char* what);
void walk(Visitor& visitor, Outcome& outcome);

}  // namespace belay::coded
