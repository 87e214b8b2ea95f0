# A file becomes a constant of a library, so that programs need not find it. Used two ways: included, it offers
# belay_embed_text(); run as a script (cmake -P), it writes the header.

# belay_embed_text(<target> HEADER <path> NAMESPACE <namespace> NAME <constant> FILE <file>)
#
# The header is included as <path>. It declares `inline constexpr std::string_view <constant>`, the content of the file.
function(belay_embed_text target)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "HEADER;NAMESPACE;NAME;FILE" "")
    set(root "${CMAKE_CURRENT_BINARY_DIR}/generated")
    set(file "${CMAKE_CURRENT_SOURCE_DIR}/${arg_FILE}")
    add_custom_command(
        OUTPUT "${root}/${arg_HEADER}"
        COMMAND "${CMAKE_COMMAND}" "-DHEADER=${root}/${arg_HEADER}" "-DNAMESPACE=${arg_NAMESPACE}" "-DNAME=${arg_NAME}"
                "-DFILE=${file}" -P "${PROJECT_SOURCE_DIR}/cmake/BelayEmbedText.cmake"
        DEPENDS "${file}" "${PROJECT_SOURCE_DIR}/cmake/BelayEmbedText.cmake"
        COMMENT "Embedding ${arg_FILE}"
        VERBATIM)
    target_sources(${target} PRIVATE "${root}/${arg_HEADER}")
    target_include_directories(${target} PRIVATE "${root}")
endfunction()

if(NOT CMAKE_SCRIPT_MODE_FILE)
    return()
endif()
cmake_minimum_required(VERSION 3.25)

file(READ "${FILE}" text)
if(text MATCHES "\\)embedded\"")
    message(FATAL_ERROR "${FILE}: it contains the mark that ends the constant")
endif()
get_filename_component(name "${FILE}" NAME)
file(
    WRITE "${HEADER}"
    "// Generated from ${name} by cmake/BelayEmbedText.cmake.
#pragma once

#include <string_view>

namespace ${NAMESPACE} {

inline constexpr std::string_view ${NAME} = R\"embedded(${text})embedded\";

}  // namespace ${NAMESPACE}
")
