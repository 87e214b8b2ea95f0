# Tests: one GoogleTest program per belay_test, one ctest entry per program, labelled with its suite.
# scripts/test counts the single cases from GoogleTest's own report, so a program per case is not needed.

find_package(GTest CONFIG REQUIRED)

# belay_test(<name> SUITE <suite> SOURCES <file>... [DEPENDS <layer or target>...] [TIMEOUT <seconds>])
function(belay_test name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "SUITE;TIMEOUT" "SOURCES;DEPENDS")
    if(NOT arg_SUITE OR NOT arg_SOURCES OR arg_UNPARSED_ARGUMENTS)
        message(FATAL_ERROR "belay_test(${name}): SUITE and SOURCES are needed, and DEPENDS and TIMEOUT understood")
    endif()
    belay_program(${name} SOURCES ${arg_SOURCES} DEPENDS ${arg_DEPENDS} GTest::gmock GTest::gtest_main)
    target_include_directories(${name} PRIVATE "${PROJECT_SOURCE_DIR}/tests")

    add_test(NAME ${name} COMMAND ${name})
    set_tests_properties(${name} PROPERTIES LABELS "${arg_SUITE};gtest")
    if(arg_TIMEOUT)
        # Long tests begin first, so that no core waits for them in the end.
        set_tests_properties(${name} PROPERTIES TIMEOUT ${arg_TIMEOUT} COST ${arg_TIMEOUT})
    endif()

    foreach(source IN LISTS arg_SOURCES)
        cmake_path(ABSOLUTE_PATH source NORMALIZE)
        set_property(GLOBAL APPEND PROPERTY BELAY_TEST_SOURCES "${source}")
    endforeach()
endfunction()

# A test that the build does not know of is never run, and nobody notices: refuse to configure instead.
function(belay_require_registered_tests)
    get_property(registered GLOBAL PROPERTY BELAY_TEST_SOURCES)
    file(GLOB_RECURSE unregistered CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tests/*_test.cpp")
    if(registered)
        list(REMOVE_ITEM unregistered ${registered})
    endif()
    if(unregistered)
        list(JOIN unregistered "\n  " files)
        message(FATAL_ERROR "Test files that no belay_test() names:\n  ${files}")
    endif()
endfunction()
