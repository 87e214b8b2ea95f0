# Uses ccache when it is there, so that the many presets and repeated runs of CI are cheap.
#
# Paths reach the compiler relative to the build directory, so a fresh clone in another directory hits the cache
# too; the prefix map makes __FILE__, in messages of assertions and tests, relative to the repository again.

if(PROJECT_IS_TOP_LEVEL AND NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
    find_program(BELAY_CCACHE ccache)
    mark_as_advanced(BELAY_CCACHE)
    if(BELAY_CCACHE)
        set(CMAKE_CXX_COMPILER_LAUNCHER
            "${CMAKE_COMMAND};-E;env;CCACHE_BASEDIR=${PROJECT_SOURCE_DIR};CCACHE_NOHASHDIR=1;CCACHE_SLOPPINESS=pch_defines,time_macros;${BELAY_CCACHE}")
        cmake_path(RELATIVE_PATH PROJECT_SOURCE_DIR BASE_DIRECTORY "${PROJECT_BINARY_DIR}" OUTPUT_VARIABLE up)
        set(BELAY_PREFIX_MAP "-fmacro-prefix-map=${up}/=")
    endif()
endif()
