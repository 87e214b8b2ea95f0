# belay_lint(<target> [REQUIRED])
#
# Makes <target>-lint, a part of `all`. It looks in the sources of <target>, once they are compiled, for statements with
# co_await that g++ 12 compiles wrongly, and fails the build if there is one.
#
# Needs Python and clang-query-19 (Debian: clang-tools-19). Without them CMake says that nothing is looked at, or stops
# if REQUIRED is given. -DBELAY_CLANG_QUERY=OFF does without.
function(belay_lint target)
    cmake_parse_arguments(PARSE_ARGV 1 arg "REQUIRED" "" "")
    if(arg_UNPARSED_ARGUMENTS OR NOT TARGET ${target})
        message(FATAL_ERROR "belay_lint(${target}): a target is needed, and REQUIRED understood")
    endif()
    find_program(BELAY_CLANG_QUERY clang-query-19 DOC "Looks for coroutines that g++ 12 compiles wrongly; OFF: not")
    find_program(BELAY_PYTHON python3)
    mark_as_advanced(BELAY_CLANG_QUERY BELAY_PYTHON)
    set(missing "")
    if(NOT BELAY_CLANG_QUERY)
        set(missing "there is no clang-query-19 (Debian: clang-tools-19)")
    elseif(NOT BELAY_PYTHON)
        set(missing "there is no python3")
    elseif(NOT CMAKE_GENERATOR MATCHES "Ninja|Makefiles")
        set(missing "${CMAKE_GENERATOR} writes no compile_commands.json")
    endif()
    if(missing AND arg_REQUIRED)
        message(FATAL_ERROR "belay_lint(${target}): ${missing}")
    elseif(missing)
        message(STATUS "belay_lint(${target}): the coroutines are not looked at: ${missing}")
        return()
    endif()

    get_target_property(sources ${target} SOURCES)
    get_target_property(directory ${target} SOURCE_DIR)
    list(FILTER sources INCLUDE REGEX "\\.(cpp|cc|cxx|C)$")
    list(TRANSFORM sources PREPEND "${directory}/" REGEX "^[^/$]")
    get_property(program GLOBAL PROPERTY BELAY_LINT_PROGRAM)
    # The lint reads the commands from compile_commands.json.
    set_target_properties(${target} PROPERTIES EXPORT_COMPILE_COMMANDS ON)
    set(passed "${CMAKE_CURRENT_BINARY_DIR}/${target}-lint.passed")
    add_custom_command(
        OUTPUT "${passed}"
        COMMAND "${BELAY_PYTHON}" "${program}" --quiet -p "${CMAKE_BINARY_DIR}" ${sources}
        COMMAND "${CMAKE_COMMAND}" -E touch "${passed}"
        # An object is older than every header that it was made of.
        DEPENDS "$<TARGET_OBJECTS:${target}>" "${program}"
        COMMENT "Looking at the coroutines of ${target}"
        VERBATIM)
    add_custom_target(${target}-lint ALL DEPENDS "${passed}")
endfunction()
