# Code that must not compile, and must say why: see tools/compile-fail/check.py for what a case looks like.

set(_belay_compile_fail_headers "${PROJECT_BINARY_DIR}/compile_fail")

# belay_compile_fail(<name> SOURCE <file>)
function(belay_compile_fail name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "SOURCE" "")
    cmake_path(ABSOLUTE_PATH arg_SOURCE NORMALIZE)
    find_package(Python3 REQUIRED COMPONENTS Interpreter)
    add_test(
        NAME compile_fail.${name}
        COMMAND Python3::Interpreter "${PROJECT_SOURCE_DIR}/tools/compile-fail/check.py" "${arg_SOURCE}"
                "${_belay_compile_fail_headers}")
    set_tests_properties(compile_fail.${name} PROPERTIES LABELS compile_fail FIXTURES_REQUIRED compile_fail_headers)
endfunction()

# Registers every file of tests/compile_fail.
function(belay_add_compile_fail_directory directory)
    find_package(Python3 REQUIRED COMPONENTS Interpreter)
    add_test(NAME compile_fail.headers
             COMMAND Python3::Interpreter "${PROJECT_SOURCE_DIR}/tools/compile-fail/check.py" --precompile
                     "${_belay_compile_fail_headers}")
    set_tests_properties(compile_fail.headers PROPERTIES LABELS compile_fail FIXTURES_SETUP compile_fail_headers)
    file(GLOB cases CONFIGURE_DEPENDS "${directory}/*.cpp")
    foreach(case IN LISTS cases)
        cmake_path(GET case STEM name)
        belay_compile_fail(${name} SOURCE "${case}")
    endforeach()
endfunction()
