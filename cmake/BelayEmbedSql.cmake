# SQL stays in .sql files, where it can be read and explained as itself, and is compiled into the library.
#
# A file of statements holds several, each behind a line "-- name: <name>"; a migration is a file of its own. Used two
# ways: included, it offers belay_embed_sql(); run as a script (cmake -P), it writes the header.

# belay_embed_sql(<target> HEADER <path> NAMESPACE <namespace> STATEMENTS <file>... MIGRATIONS <file>...)
#
# The header declares `enum class Sql`, `kStatements` (name and text, in the order of the enum) and `kMigrations` (text, in
# order). It is included as <path>.
function(belay_embed_sql target)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "HEADER;NAMESPACE" "STATEMENTS;MIGRATIONS")
    set(root "${CMAKE_CURRENT_BINARY_DIR}/generated")
    set(inputs "")
    foreach(kind IN ITEMS STATEMENTS MIGRATIONS)
        list(TRANSFORM arg_${kind} PREPEND "${CMAKE_CURRENT_SOURCE_DIR}/")
        list(APPEND inputs ${arg_${kind}})
        list(JOIN arg_${kind} "|" joined_${kind})
    endforeach()
    add_custom_command(
        OUTPUT "${root}/${arg_HEADER}"
        COMMAND
            "${CMAKE_COMMAND}" "-DHEADER=${root}/${arg_HEADER}" "-DNAMESPACE=${arg_NAMESPACE}"
            "-DSTATEMENTS=${joined_STATEMENTS}" "-DMIGRATIONS=${joined_MIGRATIONS}" -P
            "${PROJECT_SOURCE_DIR}/cmake/BelayEmbedSql.cmake"
        DEPENDS ${inputs} "${PROJECT_SOURCE_DIR}/cmake/BelayEmbedSql.cmake"
        COMMENT "Embedding the SQL of ${target}"
        VERBATIM)
    target_sources(${target} PRIVATE "${root}/${arg_HEADER}")
    target_include_directories(${target} PRIVATE "${root}")
endfunction()

if(NOT CMAKE_SCRIPT_MODE_FILE)
    return()
endif()

# A semicolon separates the elements of a list; while the text is taken apart another character stands for it.
string(ASCII 31 semicolon)
function(read_sql file out)
    file(READ "${file}" text)
    string(REPLACE ";" "${semicolon}" text "${text}")
    set(${out} "${text}" PARENT_SCOPE)
endfunction()

set(names "")
set(statements "")
string(REPLACE "|" ";" files "${STATEMENTS}")
foreach(file IN LISTS files)
    read_sql("${file}" text)
    # The part before the first name is about the file.
    string(REPLACE "\n-- name: " ";" pieces "${text}")
    list(POP_FRONT pieces)
    foreach(piece IN LISTS pieces)
        if(NOT piece MATCHES "^([a-z_]+)\n(.+)$")
            message(FATAL_ERROR "${file}: not a name and a statement: ${piece}")
        endif()
        string(APPEND names "    ${CMAKE_MATCH_1},\n")
        string(APPEND statements "    {\"${CMAKE_MATCH_1}\", R\"sql(${CMAKE_MATCH_2})sql\"},\n")
    endforeach()
endforeach()

set(migrations "")
string(REPLACE "|" ";" files "${MIGRATIONS}")
foreach(file IN LISTS files)
    read_sql("${file}" text)
    string(APPEND migrations "    R\"sql(${text})sql\",\n")
endforeach()

set(header "// Generated from the .sql files by cmake/BelayEmbedSql.cmake.
#pragma once

#include <cstdint>

namespace ${NAMESPACE} {

enum class Sql : std::uint16_t {
${names}}${semicolon}

struct NamedSql {
    const char* name${semicolon}
    const char* text${semicolon}
}${semicolon}

inline constexpr NamedSql kStatements[] = {
${statements}}${semicolon}

inline constexpr const char* kMigrations[] = {
${migrations}}${semicolon}

}  // namespace ${NAMESPACE}
")
string(REPLACE "${semicolon}" ";" header "${header}")
file(WRITE "${HEADER}" "${header}")
