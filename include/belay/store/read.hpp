// Every read that a store answers, as one value.
#pragma once

#include <belay/store/listing.hpp>
#include <belay/store/query.hpp>

#include <cstddef>
#include <type_traits>
#include <utility>
#include <variant>

namespace belay {

/// Lists of request types.
namespace reads {

/// One list.
template <class... Requests>
struct List {
    /// One request of the list.
    using Request = std::variant<Requests...>;
    /// The answer to one: alternative i answers the request of alternative i.
    using Answer = std::variant<typename Requests::Answer...>;

    /// The place of a request type in the list; the length of the list if it is not there.
    template <class Wanted>
    [[nodiscard]] static constexpr std::size_t index_of() noexcept {
        std::size_t index = 0;
        (void)((std::is_same_v<Wanted, Requests> ? false : (++index, true)) && ...);
        return index;
    }
    /// True for a request type of the list.
    template <class Wanted>
    [[nodiscard]] static constexpr bool has() noexcept {
        return (std::is_same_v<Wanted, Requests> || ...);
    }
};

/// Two lists, one behind the other.
template <class, class>
struct Join;
/// Two lists, one behind the other.
template <class... First, class... Second>
struct Join<List<First...>, List<Second...>> {
    /// The joined list.
    using Type = List<First..., Second...>;
};

/// The reads without which no worker and no waiting client can go on.
using OfEngine = List<ReadInstance,
                      ReadInstances,
                      ReadHistory,
                      CheckLeases,
                      SelectInstances,
                      ListOutcomes,
                      ReadRetention,
                      ReadDeadHolders,
                      ReadDocument>;

/// The reads that answer people: lists, counts, what one instance does.
using OfOperators = List<ListInstances,
                         CountInstances,
                         ListKeys,
                         CountQueues,
                         ListLeases,
                         ReadOpenWork,
                         ListExecutions,
                         ListChildren,
                         ListTree,
                         KeyValues,
                         ListDeadLetters,
                         ListActivities,
                         ListDocuments,
                         ReadOutput>;

/// All of them.
using All = Join<OfEngine, OfOperators>::Type;

}  // namespace reads

/// One read.
using Read = reads::All::Request;
/// The answer to one read: alternative i answers the request that is alternative i of Read.
using ReadAnswer = reads::All::Answer;

/// A type that is one of the alternatives of Read.
template <class Request>
concept ReadRequest = reads::All::has<Request>();

/// Wraps the answer to a request of this type.
template <ReadRequest Request>
[[nodiscard]] ReadAnswer wrap_answer(typename Request::Answer answer) {
    return ReadAnswer(std::in_place_index<reads::All::index_of<Request>()>, std::move(answer));
}

/// Takes the answer to a request of this type out again. It must be one.
template <ReadRequest Request>
[[nodiscard]] typename Request::Answer take_answer(ReadAnswer answer) {
    return std::get<reads::All::index_of<Request>()>(std::move(answer));
}

}  // namespace belay
