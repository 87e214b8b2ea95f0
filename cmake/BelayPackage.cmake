# The package: the libraries made of the layers, static or (BUILD_SHARED_LIBS) shared, and their headers. CMake and pkg-config
# find them by the files made here. docs/guides/install.md tells how to use them.

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(BELAY_PACKAGE_DIR "${PROJECT_SOURCE_DIR}/cmake/package")
set(BELAY_INSTALL_CMAKEDIR "${CMAKE_INSTALL_LIBDIR}/cmake/belay")

# belay_component(<name> [STATIC] DESCRIPTION <text> LAYERS <layer>... [NEEDS <component>...] [LINK <library>...]
#                 [REQUIRES <module>...])
#
# Makes libbelay-<name>, known as belay::<name>, of the objects of these layers; a static one in any case if it says so.
# NEEDS are components below it, LINK what users of a static library have to link too, REQUIRES the same as modules of pkg-config.
function(belay_component name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "STATIC" "DESCRIPTION" "LAYERS;NEEDS;LINK;REQUIRES;LIBS")
    set(kind "")
    if(arg_STATIC)
        set(kind STATIC)
    endif()
    set(target belay-${name})
    set(objects "")
    foreach(layer IN LISTS arg_LAYERS)
        get_target_property(type belay_${layer} TYPE)
        if(NOT type STREQUAL INTERFACE_LIBRARY)
            list(APPEND objects "$<TARGET_OBJECTS:belay_${layer}>")
        endif()
    endforeach()
    add_library(${target} ${kind} ${objects})
    if(NOT TARGET belay::${name})
        add_library(belay::${name} ALIAS ${target})
    endif()
    set_target_properties(
        ${target}
        PROPERTIES EXPORT_NAME ${name}
                   LINKER_LANGUAGE CXX
                   VERSION ${PROJECT_VERSION}
                   SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
    target_compile_features(${target} INTERFACE cxx_std_20)
    target_include_directories(${target} INTERFACE "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>"
                                                   "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>")
    foreach(needed IN LISTS arg_NEEDS)
        target_link_libraries(${target} PUBLIC belay-${needed})
    endforeach()
    target_link_libraries(${target} PUBLIC Threads::Threads PRIVATE ${arg_LINK})
    if(BUILD_SHARED_LIBS AND NOT arg_STATIC)
        target_link_options(${target} PRIVATE "LINKER:--version-script=${BELAY_PACKAGE_DIR}/symbols.map"
                            "LINKER:--no-undefined")
        set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS "${BELAY_PACKAGE_DIR}/symbols.map")
    endif()
    if(NOT BELAY_INSTALL)
        set_target_properties(${target} PROPERTIES EXCLUDE_FROM_ALL ON)
        return()
    endif()

    install(
        TARGETS ${target}
        EXPORT belay-${name}
        ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT dev
        LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT dev)
    install(
        EXPORT belay-${name}
        FILE belay-${name}-targets.cmake
        NAMESPACE belay::
        DESTINATION "${BELAY_INSTALL_CMAKEDIR}"
        COMPONENT dev)
    list(TRANSFORM arg_NEEDS PREPEND "belay-" OUTPUT_VARIABLE requires)
    set(libs "-L\${libdir} -l${target}")
    if(arg_STATIC OR NOT BUILD_SHARED_LIBS)
        list(APPEND requires ${arg_REQUIRES})
        list(JOIN arg_LIBS " " needed)
        string(APPEND libs " ${needed}")
    endif()
    string(STRIP "${libs}" libs)
    _belay_pkg_config(${target} "${arg_DESCRIPTION}" "${libs} -pthread" "${requires}")
endfunction()

# belay_package(): installs the rest, and makes belay::belay of core and sqlite.
function(belay_package)
    add_library(belay INTERFACE)
    add_library(belay::belay ALIAS belay)
    target_link_libraries(belay INTERFACE belay-core belay-sqlite)
    if(NOT BELAY_INSTALL)
        return()
    endif()
    _belay_pkg_config(belay "${PROJECT_DESCRIPTION}" "" "belay-sqlite")

    install(
        DIRECTORY "${PROJECT_SOURCE_DIR}/include/belay"
        DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
        COMPONENT dev
        FILES_MATCHING
        PATTERN "*.hpp")
    install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION "${CMAKE_INSTALL_DOCDIR}" COMPONENT dev)
    # For editors: docs/guides/flows.md tells how.
    install(FILES "${PROJECT_SOURCE_DIR}/src/flow/definition/flow.schema.json"
            DESTINATION "${CMAKE_INSTALL_DATADIR}/belay" COMPONENT cli)
    # For the files of those who use it. Beside it is what it imports.
    set(lint "${CMAKE_INSTALL_DATADIR}/belay/coro-lint")
    install(PROGRAMS "${PROJECT_SOURCE_DIR}/tools/coro-lint/run.py" DESTINATION "${lint}" COMPONENT dev)
    install(FILES "${PROJECT_SOURCE_DIR}/tools/coro-lint/matchers.query" "${PROJECT_SOURCE_DIR}/tools/lib/checks.py"
                  "${PROJECT_SOURCE_DIR}/tools/lib/sources.py"
            DESTINATION "${lint}"
            COMPONENT dev)
    if(BUILD_SHARED_LIBS)
        set(BELAY_STATIC FALSE)
    else()
        set(BELAY_STATIC TRUE)
    endif()
    set(BELAY_LINT_DIR "${lint}")
    configure_package_config_file("${BELAY_PACKAGE_DIR}/belay-config.cmake.in" belay-config.cmake
                                  INSTALL_DESTINATION "${BELAY_INSTALL_CMAKEDIR}" PATH_VARS BELAY_LINT_DIR)
    # Before 1.0 a minor release may break what a program is built on: docs/reference/stability.md.
    write_basic_package_version_file(belay-config-version.cmake COMPATIBILITY SameMinorVersion)
    install(FILES "${CMAKE_CURRENT_BINARY_DIR}/belay-config.cmake"
                  "${CMAKE_CURRENT_BINARY_DIR}/belay-config-version.cmake"
                  "${PROJECT_SOURCE_DIR}/cmake/BelayLint.cmake"
            DESTINATION "${BELAY_INSTALL_CMAKEDIR}"
            COMPONENT dev)
    if(TARGET belay-cli)
        _belay_install_cli()
        if(PROJECT_IS_TOP_LEVEL AND BELAY_STATIC)
            belay_debian_packages()
        endif()
    endif()
endfunction()

# The program, and the rest where Debian's man and shells look for it below /usr/local and below /usr.
function(_belay_install_cli)
    install(TARGETS belay-cli RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}" COMPONENT cli)
    set(files "${PROJECT_BINARY_DIR}/cli-files")
    set(share "${CMAKE_INSTALL_DATADIR}")
    install(FILES "${files}/belay.1" DESTINATION "${CMAKE_INSTALL_MANDIR}/man1" COMPONENT cli)
    install(FILES "${files}/belay.bash" DESTINATION "${share}/bash-completion/completions" COMPONENT cli RENAME belay)
    install(FILES "${files}/_belay" DESTINATION "${share}/zsh/site-functions" COMPONENT cli)
    install(FILES "${files}/belay.fish" DESTINATION "${share}/fish/vendor_completions.d" COMPONENT cli)
endfunction()

# A relative prefix: the tree may be moved, or staged with DESTDIR, after it was installed.
function(_belay_pkg_config name description libs requires)
    cmake_path(RELATIVE_PATH CMAKE_INSTALL_PREFIX
               BASE_DIRECTORY "${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig" OUTPUT_VARIABLE up)
    set(PC_PREFIX "\${pcfiledir}/${up}")
    set(PC_LIBDIR "\${prefix}/${CMAKE_INSTALL_LIBDIR}")
    set(PC_INCLUDEDIR "\${prefix}/${CMAKE_INSTALL_INCLUDEDIR}")
    set(PC_NAME "${name}")
    set(PC_DESCRIPTION "${description}")
    set(PC_LIBS "${libs}")
    set(PC_CFLAGS "-pthread")
    list(JOIN requires " " PC_REQUIRES)
    configure_file("${BELAY_PACKAGE_DIR}/component.pc.in" "${name}.pc" @ONLY)
    install(FILES "${CMAKE_CURRENT_BINARY_DIR}/${name}.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig"
            COMPONENT dev)
endfunction()
