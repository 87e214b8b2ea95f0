#include "flow/definition/schema.hpp"

#include "flow/definition/schema_text.hpp"

namespace belay::flow {

std::string_view flow_schema() noexcept { return kFlowSchemaText; }

}  // namespace belay::flow
