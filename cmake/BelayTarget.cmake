# Settings of every target of our own: the language level, the include directories, the warnings.
# They are set on targets, never globally, so that a project which embeds Belay keeps its own settings.

set(_belay_joined_warnings -Wno-subobject-linkage -Wno-maybe-uninitialized -Wno-null-dereference)
add_library(belay_warnings INTERFACE)
target_compile_options(
    belay_warnings
    INTERFACE -Wall
              -Wextra
              -Wpedantic
              -Wshadow
              -Wconversion
              -Wsign-conversion
              -Wnon-virtual-dtor
              -Woverloaded-virtual
              -Wold-style-cast
              -Wnull-dereference
              # See include/belay/detail/mutex.hpp.
              "$<$<CXX_COMPILER_ID:Clang>:-Wthread-safety;-Wthread-safety-beta>"
              # A unity file includes what was written as main files, which g++ takes for headers. And the more it sees at
              # once, the more often it suspects the containers and variants of the standard library.
              "$<$<AND:$<OR:$<BOOL:${CMAKE_UNITY_BUILD}>,$<BOOL:${BELAY_JOINED}>>,$<CXX_COMPILER_ID:GNU>>:${_belay_joined_warnings}>"
              $<$<BOOL:${BELAY_WERROR}>:-Werror>)

# belay_configure_target(<target> [STANDARD 20|23])
#
# The public headers are C++20; our own code is C++23 and does not hand that demand on to its users.
function(belay_configure_target target)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "STANDARD" "")
    if(NOT arg_STANDARD)
        set(arg_STANDARD 23)
    endif()
    set_target_properties(
        ${target}
        PROPERTIES CXX_STANDARD ${arg_STANDARD}
                   CXX_STANDARD_REQUIRED ON
                   CXX_EXTENSIONS OFF
                   RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin")
    target_compile_options(${target} PRIVATE ${BELAY_PREFIX_MAP})
    target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:belay_warnings>)
    if(arg_STANDARD EQUAL 23)
        belay_precompile(${target})
    endif()
endfunction()

# belay_link(<target> <PUBLIC|PRIVATE|INTERFACE> <name>...)
#
# Links by short name: "coro" is the layer belay_coro; anything that is no layer is linked as it is.
function(belay_link target scope)
    foreach(name IN LISTS ARGN)
        if(name IN_LIST BELAY_LAYERS)
            target_link_libraries(${target} ${scope} belay::${name})
        else()
            target_link_libraries(${target} ${scope} ${name})
        endif()
    endforeach()
endfunction()

# belay_program(<name> SOURCES <file>... [DEPENDS <layer or target>...])
#
# A program in build/<preset>/bin.
function(belay_program name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;DEPENDS")
    add_executable(${name} ${arg_SOURCES})
    belay_configure_target(${name})
    target_include_directories(${name} PRIVATE "${PROJECT_SOURCE_DIR}/include" "${PROJECT_SOURCE_DIR}/src")
    belay_link(${name} PRIVATE ${arg_DEPENDS})
endfunction()
