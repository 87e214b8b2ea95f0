// JSON for scripts, under the names of this layer: one line each document.
#pragma once

#include "json/base64.hpp"
#include "json/value.hpp"
#include "json/writer.hpp"

namespace belay::cli {

using JsonWriter = json::Writer;
using json::base64;
using json::decode_base64;
using json::is_json;
using json::is_json_number;

}  // namespace belay::cli
