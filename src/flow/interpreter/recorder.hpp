// Draws a picture of a run while the interpreter goes through it.
#pragma once

#include "flow/interpreter/picture.hpp"

#include <memory>

namespace belay::flow {

/// Makes canceled every step and item that has not ended.
void close_list(ListPicture& list, std::optional<Timestamp> at, const std::string& why);

class Recorder final : public StepObserver {
public:
    explicit Recorder(const std::shared_ptr<const Plan>& plan);

    void list_began(ListName list, Timestamp at) override;
    void list_ended(ListName list, const ListEnd& end, Timestamp at) override;
    void began(const Spot& spot, Timestamp at) override;
    void has_items(const Spot& spot, std::uint64_t first, const expr::List& elements) override;
    void scheduled(const Spot& spot, CommandNo command) override;
    void handed_over(const Spot& spot, const Chunk& chunk) override;
    void waits(const Spot& spot, const Wanted& wanted) override;
    void ended(const Spot& spot, const StepEnd& end, Timestamp at) override;
    void kept(const Spot& spot, const KeptEnd& end) override;

    [[nodiscard]] FlowPicture take();

private:
    [[nodiscard]] ListPicture& list(ListName name) {
        return lists_[static_cast<std::size_t>(name)];
    }
    [[nodiscard]] StepPicture& step(const Spot& spot) { return list(spot.list).steps[spot.step]; }
    [[nodiscard]] Progress& progress(const Spot& spot);

    std::vector<ListPicture> lists_;
    std::string ended_by_;
};

}  // namespace belay::flow
