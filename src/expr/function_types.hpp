// The types that function tables are written with.
#pragma once

#include "expr/type.hpp"

namespace belay::expr {

inline const Type kInt(Kind::integer);
inline const Type kUint(Kind::unsigned_integer);
inline const Type kReal(Kind::real);
inline const Type kBool(Kind::boolean);
inline const Type kText(Kind::text);
inline const Type kBytes(Kind::bytes);
inline const Type kTime(Kind::timestamp);
inline const Type kSpan(Kind::duration);
inline const Type kAnyList(Kind::list);
inline const Type kAnyMap(Kind::map);
inline const Type kTexts = Type::list(Type(Kind::text));

}  // namespace belay::expr
