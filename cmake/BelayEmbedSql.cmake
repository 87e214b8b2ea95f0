# SQL stays in .sql files, where it can be read and explained as itself, and is compiled into the library.
#
# A file of statements holds several, each behind a line "-- name: <name>". A line "-- head: <name>" begins the head of a
# statement that the program puts together: a select without its from. A migration is a file of its own. Used two ways:
# included, it offers belay_embed_sql(); run as a script (cmake -P), it writes the header.
#
# The program reads the columns of a statement by name. A column's name is its alias, or that of the table's column.
# Every column needs one, and no two have the same; only "select 1", which asks whether there is a row, has none. A
# statement may name its parameters (:name) instead of numbering them (?1), and then they are bound by name.

# belay_embed_sql(<target> HEADER <path> NAMESPACE <namespace> STATEMENTS <file>... MIGRATIONS <file>...)
#
# The header is included as <path>. It declares
#   columns::<statement>     enum class, the columns of its rows in order; the same type where all names are the same
#   parameters::<statement>  enum class, its parameters, when they have names
#   Sql::<statement>         Statement<its columns, its parameters>
#   SqlHead::<head>          Head<its columns>
#   kStatements              name and text, in the order of the statements' places
#   kStatementNames          the names of columns and parameters, in the same order, for tests that compare them
#   kMigrations              text, in order
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
cmake_minimum_required(VERSION 3.25)

# A semicolon separates the elements of a list; while the text is taken apart another character stands for it.
string(ASCII 31 semicolon)
function(read_sql file out)
    file(READ "${file}" text)
    string(REPLACE ";" "${semicolon}" text "${text}")
    set(${out} "${text}" PARENT_SCOPE)
endfunction()

# Stands for what was between parentheses.
string(ASCII 30 inner)

function(complain about)
    string(REPLACE "${inner}" "(...)" about "${about}")
    string(REPLACE "${semicolon}" ";" about "${about}")
    message(FATAL_ERROR "${about}")
endfunction()

# Returns the text without comments and without the content of literals.
function(strip text out)
    string(REGEX REPLACE "--[^\n]*" "" text "${text}")
    string(REGEX REPLACE "'[^']*'" "''" text "${text}")
    set(${out} "${text}" PARENT_SCOPE)
endfunction()

# Returns the stripped text in one line, with nothing between parentheses.
function(flatten text out)
    strip("${text}" text)
    while(text MATCHES "\\([^()]*\\)")
        string(REGEX REPLACE "\\([^()]*\\)" "${inner}" text "${text}")
    endwhile()
    string(REGEX REPLACE "[ \n${semicolon}]+" " " text "${text}")
    string(STRIP "${text}" text)
    set(${out} "${text}" PARENT_SCOPE)
endfunction()

# Returns the expressions of a statement's rows. Returns nothing if it has no rows.
function(result_of where text out)
    flatten("${text}" flat)
    set(result "")
    if(flat MATCHES "^(select|with) ")
        string(FIND " ${flat}" " select " begin)
        math(EXPR begin "${begin} + 7")
        string(SUBSTRING "${flat} " ${begin} -1 result)
        string(FIND "${result}" " from " end)
        string(SUBSTRING "${result}" 0 ${end} result)
    elseif(flat MATCHES "^(insert|update|delete) ")
        if(flat MATCHES " returning (.+)$")
            set(result "${CMAKE_MATCH_1}")
        endif()
    else()
        complain("${where}: neither a select nor a change: ${flat}")
    endif()
    string(REPLACE "," ";" result "${result}")
    set(${out} "${result}" PARENT_SCOPE)
endfunction()

function(columns_of where text out)
    result_of("${where}" "${text}" result)
    set(columns "")
    set(place 0)
    foreach(expression IN LISTS result)
        string(STRIP "${expression}" expression)
        math(EXPR place "${place} + 1")
        if(expression MATCHES "^(.* as |[a-z_]+\\.)?([a-z][a-z0-9_]*)$")
            set(column "${CMAKE_MATCH_2}")
        elseif(result STREQUAL "1")
            break()
        else()
            complain("${where}: column ${place}, ${expression}, has no name: give it one with \"as\"")
        endif()
        if(column IN_LIST columns)
            complain("${where}: column ${place} has the name of another one, ${column}: give it its own with \"as\"")
        endif()
        list(APPEND columns "${column}")
    endforeach()
    set(${out} "${columns}" PARENT_SCOPE)
endfunction()

# In the order in which SQLite numbers them. None: they have numbers, or there are none.
function(parameters_of where text out)
    strip("${text}" text)
    string(REGEX MATCHALL ":[a-z][a-z0-9_]*" parameters "${text}")
    if(parameters AND text MATCHES "\\?")
        list(GET parameters 0 first)
        complain("${where}: some parameters have numbers, and ${first} has a name")
    endif()
    list(REMOVE_DUPLICATES parameters)
    list(TRANSFORM parameters REPLACE "^:" "")
    set(${out} "${parameters}" PARENT_SCOPE)
endfunction()

# The three below go on with the loop's `where`, `name`, `sql` and `columns`.

# Sets `type` to the type of the columns. Declares it, unless a statement before has the same ones.
macro(declare_columns)
    set(type "NoColumns")
    if(NOT columns STREQUAL "")
        set(type "columns::${name}")
        string(MD5 key "${columns}")
        if(DEFINED declared_${key})
            string(APPEND column_types "using ${name} = ${declared_${key}};\n")
        else()
            set(declared_${key} "${name}")
            string(REPLACE ";" ", " listed "${columns}")
            string(APPEND column_types "enum class ${name} : std::uint8_t { ${listed} };\n")
        endif()
    endif()
endmacro()

macro(add_head)
    declare_columns()
    string(STRIP "${sql}" sql)
    string(APPEND heads "    static constexpr Head<${type}> ${name}{R\"sql(${sql})sql\"};\n")
endmacro()

macro(add_statement)
    declare_columns()
    parameters_of("${where}" "${sql}" parameters)
    if(NOT parameters STREQUAL "")
        string(REPLACE ";" ", " listed "${parameters}")
        string(REGEX REPLACE "^([a-z0-9_]+)" "\\1 = 1" listed "${listed}")
        string(APPEND parameter_types "enum class ${name} : std::uint8_t { ${listed} };\n")
        string(APPEND type ", parameters::${name}")
    endif()
    string(REPLACE ";" " " column_names "${columns}")
    string(REPLACE ";" " " parameter_names "${parameters}")
    string(APPEND names "    {\"${column_names}\", \"${parameter_names}\"},\n")
    string(APPEND places "    static constexpr Statement<${type}> ${name}{{${next_place}}};\n")
    string(APPEND statements "    {\"${name}\", R\"sql(${sql})sql\"},\n")
    math(EXPR next_place "${next_place} + 1")
endmacro()

set(column_types "")
set(parameter_types "")
set(places "")
set(next_place 0)
set(heads "")
set(names "")
set(statements "")
string(REPLACE "|" ";" files "${STATEMENTS}")
foreach(file IN LISTS files)
    read_sql("${file}" text)
    # The part before the first name is about the file.
    string(REPLACE "\n-- head: " "\n-- name: head " text "${text}")
    string(REPLACE "\n-- name: " ";" pieces "${text}")
    list(POP_FRONT pieces)
    foreach(piece IN LISTS pieces)
        if(NOT piece MATCHES "^(head )?([a-z_]+)\n(.+)$")
            complain("${file}: not a name and a statement: ${piece}")
        endif()
        set(kind "${CMAKE_MATCH_1}")
        set(name "${CMAKE_MATCH_2}")
        set(sql "${CMAKE_MATCH_3}")
        set(where "${file}: ${name}")
        columns_of("${where}" "${sql}" columns)
        if(kind)
            add_head()
        else()
            add_statement()
        endif()
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

// NOLINTBEGIN(readability-identifier-naming): names are as the .sql files have them.

namespace columns {
${column_types}}  // namespace columns

namespace parameters {
${parameter_types}}  // namespace parameters

/// Of a statement without rows, or of whose rows only their being there matters.
enum class NoColumns : std::uint8_t {};
/// Of a statement whose parameters have numbers.
enum class Numbered : std::uint8_t {};

/// Any statement, by its place in kStatements.
struct AnyStatement {
    std::uint16_t place;
};

/// One with these columns and parameters.
template <class Columns, class Parameters = Numbered>
struct Statement : AnyStatement {};

/// The beginning of a statement with these columns.
template <class Columns>
struct Head {
    const char* text;
};

struct Sql {
${places}};

struct SqlHead {
${heads}};

// NOLINTEND(readability-identifier-naming)

struct NamedSql {
    const char* name;
    const char* text;
};

inline constexpr NamedSql kStatements[] = {
${statements}};

struct StatementNames {
    const char* columns;
    const char* parameters;
};

inline constexpr StatementNames kStatementNames[] = {
${names}};

inline constexpr const char* kMigrations[] = {
${migrations}};

}  // namespace ${NAMESPACE}
")
string(REPLACE "${semicolon}" ";" header "${header}")
file(WRITE "${HEADER}" "${header}")
