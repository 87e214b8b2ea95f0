#include "client/history.hpp"

#include "client/blocking.hpp"

#include <utility>

namespace belay::client {

Result<std::vector<model::Event>> read_events(Store& store,
                                              RunRef run,
                                              ExecutionNo execution,
                                              EventNo last) {
    std::vector<model::Event> events;
    while (events.size() < last) {
        ReadHistory request;
        request.run = run;
        request.execution = execution;
        request.after = events.size();
        const Result<ReadHistory::Answer> rows = ask(store, request);
        if (!rows) return rows.error();
        const std::size_t before = events.size();
        for (const RecordedRow& row : *rows) {
            Result<std::vector<model::Event>> decoded = model::decode_events(row.row);
            if (!decoded) return decoded.error();
            for (model::Event& event : *decoded) {
                if (events.size() < last) events.push_back(std::move(event));
            }
        }
        if (events.size() == before) break;
    }
    return events;
}

}  // namespace belay::client
