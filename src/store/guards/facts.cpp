#include "store/guards/facts.hpp"

namespace belay::store {

KeyId key_id(const NewInstance& instance, const IdempotencyKey& key) {
    return KeyId{instance.name.space, instance.owner, instance.definition, key.key};
}

bool is_taken(
    KeyScope scope, std::optional<Timestamp> until, bool ended, Status status, Timestamp now) {
    const bool succeeded = status == Status::completed || status == Status::skipped;
    switch (scope) {
        case KeyScope::while_active: return !ended;
        case KeyScope::until_success: return !ended || succeeded;
        case KeyScope::window: return until && now < *until;
        case KeyScope::forever: return true;
    }
    return true;
}

}  // namespace belay::store
