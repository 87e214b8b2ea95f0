# Layers: one static library each, dependencies point down only.
#
# Three things keep the arrows one-way. A layer may only name layers below it. Each layer's whole archive is
# linked against nothing but what it names, so a call upwards fails the build. And the test suite `layering`
# reads the #include lines, which the linker does not see.

# Lowest first. The layer a_b lives in src/a/b.
set(BELAY_LAYERS
    base
    json
    expr
    yaml
    coro
    model
    document
    retention_rules
    store
    store_memory
    store_sqlite
    store_coded
    replay
    retention
    client
    runtime
    testing
    retention_toml
    graph
    schedule
    schedule_runner
    flow_definition
    flow_steps
    flow_interpreter
    flow
    flow_builder
    flow_testing
    cli)

# belay_layer(<name> [SOURCES <file>...] [DEPENDS <layer>...] [USES <layer>...] [LINK <library>...])
#
# Makes belay_<name>, known as belay::<name>. A layer without sources is an interface library. It may include only the public
# headers of a layer in USES, as a program of a user does.
function(belay_layer name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;DEPENDS;USES;LINK")
    if(arg_UNPARSED_ARGUMENTS)
        message(FATAL_ERROR "belay_layer(${name}): unknown arguments: ${arg_UNPARSED_ARGUMENTS}")
    endif()
    _belay_require_lower_layers(${name} ${arg_DEPENDS} ${arg_USES})

    if(arg_SOURCES)
        set(scope PUBLIC)
        add_library(belay_${name} STATIC ${arg_SOURCES})
        belay_configure_target(belay_${name})
        if(BELAY_JOINED)
            # The size with which the releases are built: what is joined there compiles here.
            set_target_properties(belay_${name} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 16)
        endif()
        if(NOT PROJECT_IS_TOP_LEVEL)
            # An embedding project compiles only what it links.
            set_target_properties(belay_${name} PROPERTIES EXCLUDE_FROM_ALL ON)
        endif()
        # Our own headers beside the sources are nothing for whoever links the layer from outside.
        target_include_directories(belay_${name} PRIVATE "${PROJECT_SOURCE_DIR}/src")
        if(BELAY_FUZZ)
            # The expansion of -fsanitize=fuzzer-no-link, which does not work with precompiled headers.
            target_compile_options(
                belay_${name} PRIVATE -fsanitize-coverage=inline-8bit-counters,indirect-calls,trace-cmp,pc-table)
        endif()
        if(BUILD_SHARED_LIBS)
            set_target_properties(belay_${name} PROPERTIES POSITION_INDEPENDENT_CODE ON)
            target_compile_options(belay_${name} PRIVATE -fno-semantic-interposition)
        endif()
    else()
        set(scope INTERFACE)
        add_library(belay_${name} INTERFACE)
    endif()
    add_library(belay::${name} ALIAS belay_${name})

    target_compile_features(belay_${name} ${scope} cxx_std_20)
    target_include_directories(belay_${name} ${scope} "${PROJECT_SOURCE_DIR}/include")
    belay_link(belay_${name} ${scope} ${arg_DEPENDS} ${arg_USES} ${arg_LINK})

    file(RELATIVE_PATH directory "${PROJECT_SOURCE_DIR}" "${CMAKE_CURRENT_SOURCE_DIR}")
    set(public_only ${arg_USES})
    list(TRANSFORM public_only PREPEND "public:")
    list(JOIN arg_DEPENDS " " depends)
    list(JOIN public_only " " uses)
    set_property(GLOBAL APPEND PROPERTY BELAY_DECLARED_LAYERS "${name}")
    set_property(GLOBAL APPEND_STRING PROPERTY BELAY_LAYER_TABLE "${name} ${directory} ${depends} ${uses}\n")

    if(BELAY_CHECKS AND arg_SOURCES)
        _belay_add_link_test(${name})
    endif()
endfunction()

function(_belay_require_lower_layers name)
    list(FIND BELAY_LAYERS "${name}" own)
    if(own EQUAL -1)
        message(FATAL_ERROR "belay_layer(${name}): add it to BELAY_LAYERS in cmake/BelayLayer.cmake first")
    endif()
    foreach(lower IN LISTS ARGN)
        list(FIND BELAY_LAYERS "${lower}" position)
        if(position EQUAL -1 OR position GREATER_EQUAL own)
            message(FATAL_ERROR "belay_layer(${name}): '${lower}' is not a layer below '${name}'")
        endif()
    endforeach()
endfunction()

function(_belay_add_link_test name)
    set(main "${CMAKE_CURRENT_BINARY_DIR}/link_test_${name}.cpp")
    file(CONFIGURE OUTPUT "${main}" CONTENT "int main() {}\n")
    set(target link_test_${name})
    add_executable(${target} "${main}")
    belay_configure_target(${target})
    target_link_libraries(${target} PRIVATE $<LINK_LIBRARY:WHOLE_ARCHIVE,belay_${name}>)
    add_test(NAME layering.link.${name} COMMAND ${target})
    set_tests_properties(layering.link.${name} PROPERTIES LABELS layering)
endfunction()

# One test per layer that none of its files includes a header of a layer it does not name.
function(belay_add_layering_tests)
    get_property(layers GLOBAL PROPERTY BELAY_DECLARED_LAYERS)
    get_property(table GLOBAL PROPERTY BELAY_LAYER_TABLE)
    file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/layers.txt" CONTENT "${table}" @ONLY)
    find_package(Python3 REQUIRED COMPONENTS Interpreter)
    foreach(layer IN LISTS layers ITEMS tree)
        add_test(NAME layering.includes.${layer}
                 COMMAND Python3::Interpreter "${PROJECT_SOURCE_DIR}/tools/layering/check.py"
                         "${PROJECT_BINARY_DIR}/layers.txt" ${layer})
        set_tests_properties(layering.includes.${layer} PROPERTIES LABELS layering)
    endforeach()
    add_test(NAME layering.header_weight
             COMMAND Python3::Interpreter "${PROJECT_SOURCE_DIR}/tools/layering/header_weight.py")
    set_tests_properties(layering.header_weight PROPERTIES LABELS layering)
endfunction()
