// Name and signature of everything that is called by name, once: whoever calls, whoever implements
// and whoever starts includes this, and cannot disagree. Names are stored; they stay.
#pragma once

#include "order.hpp"
#include <belay/activity.hpp>

#include <cstdint>
#include <string>

namespace shop {

// ---- Orchestrations -----------------------------------------------------------------------------

/// From the order to the parcels, which it gives by their numbers. A large one has to be approved
/// within so many milliseconds: the event `kApproval`, with the name of who approves.
inline constexpr belay::Definition<std::string(Order, std::int64_t)> PlaceOrder{"PlaceOrder"};
/// One parcel of an order; gives its number.
inline constexpr belay::Definition<std::string(Item)> ShipParcel{"ShipParcel"};

inline constexpr const char* kApproval = "approval";
/// The key-value in which an order says how far it is.
inline constexpr const char* kStage = "stage";

// ---- Activities ---------------------------------------------------------------------------------

/// Sets the goods aside; gives the number of the hold. Fails with "OutOfStock".
inline constexpr belay::Activity<std::string(Order)> ReserveStock{"ReserveStock"};
inline constexpr belay::Activity<void(std::string)> ReleaseStock{"ReleaseStock"};
/// Takes the money: customer and cents; gives the number of the payment. Fails with "CardDeclined".
inline constexpr belay::Activity<std::string(std::string, int)> ChargeCard{"ChargeCard"};
inline constexpr belay::Activity<void(std::string)> Refund{"Refund"};
/// Packs one parcel, piece by piece, and says by heartbeats how many pieces are packed.
inline constexpr belay::Activity<void(Item)> Pack{"Pack"};
/// Gives the parcel to the carrier; gives its number.
inline constexpr belay::Activity<std::string(Item)> HandOver{"HandOver"};

}  // namespace shop
