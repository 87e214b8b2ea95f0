# With BELAY_PRECOMPILE the headers that nearly every file includes are compiled once for the whole tree. Half of the
# time to compile a file without optimisation goes into them, and CI compiles the tree once per sanitizer.
#
# A file that forgets to include what it uses is noticed by the test suite `install`, which does without.

# belay_precompile(<target>): lets a target of the default language level use them.
function(belay_precompile target)
    if(NOT BELAY_PRECOMPILE OR target STREQUAL belay_precompiled)
        return()
    endif()
    if(NOT TARGET belay_precompiled)
        _belay_add_precompiled()
    endif()
    if(BELAY_TESTS)
        # GTest::gmock defines it; g++ takes the headers only where it was defined when they were compiled.
        target_compile_definitions(${target} PRIVATE GTEST_HAS_PTHREAD=1)
    endif()
    target_precompile_headers(${target} REUSE_FROM belay_precompiled)
endfunction()

function(_belay_add_precompiled)
    set(of_tests)
    if(BELAY_TESTS)
        find_package(GTest CONFIG REQUIRED)
        set(of_tests <gmock/gmock.h> <gtest/gtest.h>)
    endif()
    set(source "${PROJECT_BINARY_DIR}/precompiled.cpp")
    file(CONFIGURE OUTPUT "${source}" CONTENT "\n")
    add_library(belay_precompiled STATIC "${source}")
    belay_configure_target(belay_precompiled)
    target_include_directories(belay_precompiled PRIVATE "${PROJECT_SOURCE_DIR}/include")
    if(BELAY_TESTS)
        target_link_libraries(belay_precompiled PRIVATE GTest::gmock)
    endif()
    if(CMAKE_CXX_COMPILER_LAUNCHER)
        # A change of a comment makes other precompiled headers: g++ knows a header in them again by its whole text.
        set_target_properties(
            belay_precompiled
            PROPERTIES CXX_COMPILER_LAUNCHER "${CMAKE_COMMAND};-E;env;CCACHE_COMMENTS=1;${CMAKE_CXX_COMPILER_LAUNCHER}")
    endif()
    target_precompile_headers(
        belay_precompiled
        PRIVATE
        <algorithm>
        <functional>
        <map>
        <memory>
        <optional>
        <set>
        <string>
        <variant>
        <vector>
        ${of_tests}
        <belay/client.hpp>
        <belay/orchestration.hpp>
        <belay/registry.hpp>
        <belay/runtime.hpp>
        <belay/store/operations.hpp>)
endfunction()
