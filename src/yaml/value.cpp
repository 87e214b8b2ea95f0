#include "yaml/value.hpp"

namespace belay::yaml {

std::string_view to_string(Kind kind) noexcept {
    switch (kind) {
        case Kind::null: return "nothing";
        case Kind::boolean: return "true or false";
        case Kind::integer: return "an integer";
        case Kind::real: return "a number";
        case Kind::text: return "a text";
        case Kind::list: return "a list";
        case Kind::map: return "a map";
    }
    return "?";
}

const Value* Value::find(std::string_view name) const noexcept {
    for (std::size_t i = 0; i < keys.size(); ++i) {
        if (keys[i].name == name) return &items[i];
    }
    return nullptr;
}

}  // namespace belay::yaml
