#include "store/history.hpp"

#include "store/blocking.hpp"

#include <algorithm>
#include <iterator>
#include <utility>
#include <variant>

namespace belay::store {

namespace {

/// Adds the turns of a row. The first row of a resumed run has several.
void add_turns(std::vector<model::Event> row, std::vector<std::vector<model::Event>>& turns) {
    for (std::size_t i = 0; i < row.size(); ++i) {
        const bool begins = i == 0 || std::holds_alternative<model::TurnStarted>(row[i]);
        if (begins) turns.emplace_back();
        turns.back().push_back(std::move(row[i]));
    }
}

}  // namespace

Result<std::vector<std::vector<model::Event>>> read_turns(Store& store,
                                                          RunRef run,
                                                          ExecutionNo execution,
                                                          EventNo last) {
    std::vector<std::vector<model::Event>> turns;
    EventNo position = 0;
    while (position < last) {
        ReadHistory request;
        request.run = run;
        request.execution = execution;
        request.after = position;
        const Result<ReadHistory::Answer> rows = ask(store, request);
        if (!rows) return rows.error();
        const EventNo before = position;
        for (const RecordedRow& row : *rows) {
            Result<std::vector<model::Event>> decoded = model::decode_events(row.row);
            if (!decoded) return decoded.error();
            if (position == last) break;
            if (decoded->size() > last - position) decoded->resize(last - position);
            position += decoded->size();
            add_turns(std::move(*decoded), turns);
        }
        if (position == before) break;
    }
    return turns;
}

Result<std::vector<model::Event>> read_events(Store& store,
                                              RunRef run,
                                              ExecutionNo execution,
                                              EventNo last) {
    Result<std::vector<std::vector<model::Event>>> turns = read_turns(store, run, execution, last);
    if (!turns) return turns.error();
    std::vector<model::Event> events;
    for (std::vector<model::Event>& turn : *turns) {
        std::move(turn.begin(), turn.end(), std::back_inserter(events));
    }
    return events;
}

}  // namespace belay::store
