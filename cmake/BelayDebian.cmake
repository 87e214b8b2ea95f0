# Two packages for Debian, made by CPack of what cmake --install installs: libbelay-dev has the static libraries, the headers
# and what CMake and pkg-config need, and belay has the command line. docs/guides/install.md tells how to build and use them.

# belay_debian_packages(): the target belay-debian writes them into <build>/packages.
function(belay_debian_packages)
    set(CPACK_GENERATOR DEB)
    set(CPACK_PACKAGE_DIRECTORY "${PROJECT_BINARY_DIR}/packages")
    set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
    set(CPACK_PACKAGE_CONTACT "The Belay developers <belay@localhost>")
    set(CPACK_STRIP_FILES ON)
    set(CPACK_COMPONENTS_ALL dev cli)
    set(CPACK_PRE_BUILD_SCRIPTS "${BELAY_PACKAGE_DIR}/as-debian-wants.cmake")

    set(CPACK_DEB_COMPONENT_INSTALL ON)
    set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
    set(CPACK_DEBIAN_DEV_PACKAGE_NAME libbelay-dev)
    set(CPACK_DEBIAN_DEV_PACKAGE_SECTION libdevel)
    set(CPACK_COMPONENT_DEV_DESCRIPTION
        "Libraries and headers. Orchestrations are C++20 coroutines that survive crashes
and restarts of their process. Their state is kept in a SQLite file.")
    # Static libraries: a program links what they need. pkg-config is how CMake finds it.
    set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS "libsodium-dev, libsqlite3-dev, libzstd-dev, libhowardhinnant-date-dev, libre2-dev, libyaml-cpp-dev, libcurl4-openssl-dev, pkg-config")
    # For belay/json.hpp, and for belay_lint().
    set(CPACK_DEBIAN_DEV_PACKAGE_SUGGESTS "belay, nlohmann-json3-dev, clang-tools-19, python3")

    set(CPACK_DEBIAN_CLI_PACKAGE_NAME belay)
    set(CPACK_DEBIAN_CLI_PACKAGE_SECTION utils)
    set(CPACK_COMPONENT_CLI_DESCRIPTION
        "The command line. It runs flows of programs from files, and goes on with them
after a crash. It starts, finds, inspects, stops and removes durable runs in a
SQLite file while workers use the file.")
    set(CPACK_DEBIAN_CLI_PACKAGE_SHLIBDEPS ON)
    include(CPack)

    add_custom_target(
        belay-debian
        COMMAND "${CMAKE_CPACK_COMMAND}" --config "${CMAKE_BINARY_DIR}/CPackConfig.cmake"
        COMMENT "Packing libbelay-dev and belay into ${CPACK_PACKAGE_DIRECTORY}"
        VERBATIM)
    add_dependencies(belay-debian belay-core belay-sqlite belay-coded belay-config belay-schedules belay-flow belay-testing belay-cli)
endfunction()
