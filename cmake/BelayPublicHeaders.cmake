# Each public header compiles alone, as C++20, with nothing but include/ on the path (and nlohmann-json, for
# belay/json.hpp): what a user's compiler sees.
# One more file includes them all, for the lint.

function(belay_check_public_headers)
    file(GLOB_RECURSE headers CONFIGURE_DEPENDS RELATIVE "${PROJECT_SOURCE_DIR}/include"
         "${PROJECT_SOURCE_DIR}/include/belay/*.hpp")
    if(NOT headers)
        return()
    endif()
    set(all "${PROJECT_BINARY_DIR}/public_headers/all.cpp")
    list(TRANSFORM headers REPLACE ".+" "#include <\\0>\n" OUTPUT_VARIABLE lines)
    list(JOIN lines "" content)
    file(CONFIGURE OUTPUT "${all}" CONTENT "${content}")
    set(sources "${all}")
    foreach(header IN LISTS headers)
        string(MAKE_C_IDENTIFIER "${header}" stem)
        set(source "${PROJECT_BINARY_DIR}/public_headers/${stem}.cpp")
        file(CONFIGURE OUTPUT "${source}" CONTENT "#include <${header}>\n")
        list(APPEND sources "${source}")
    endforeach()
    add_library(belay_public_headers OBJECT ${sources})
    belay_configure_target(belay_public_headers STANDARD 20)
    target_compile_options(belay_public_headers PRIVATE -g0)
    target_include_directories(belay_public_headers PRIVATE "${PROJECT_SOURCE_DIR}/include")
    find_package(nlohmann_json CONFIG REQUIRED)
    target_link_libraries(belay_public_headers PRIVATE nlohmann_json::nlohmann_json)
    # Joined, a header would find what the ones before it include.
    set_target_properties(belay_public_headers PROPERTIES UNITY_BUILD OFF)
endfunction()
