# Uses ccache when it is there, so that the many presets are cheap the second time. A machine that builds everything once sets
# CCACHE_DISABLE when it configures, as CI does.
#
# With it, paths reach the compiler relative to the build directory, so that a fresh clone in another directory hits the
# cache too. Either way __FILE__, in messages of assertions and tests, is relative to the repository.

if(PROJECT_IS_TOP_LEVEL AND NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
    set(BELAY_PREFIX_MAP "-fmacro-prefix-map=${PROJECT_SOURCE_DIR}/=")
    find_program(BELAY_CCACHE ccache)
    mark_as_advanced(BELAY_CCACHE)
    if(BELAY_CCACHE AND NOT DEFINED ENV{CCACHE_DISABLE})
        set(CMAKE_CXX_COMPILER_LAUNCHER
            "${CMAKE_COMMAND};-E;env;CCACHE_BASEDIR=${PROJECT_SOURCE_DIR};CCACHE_NOHASHDIR=1;CCACHE_SLOPPINESS=pch_defines,time_macros;${BELAY_CCACHE}")
        cmake_path(RELATIVE_PATH PROJECT_SOURCE_DIR BASE_DIRECTORY "${PROJECT_BINARY_DIR}" OUTPUT_VARIABLE up)
        set(BELAY_PREFIX_MAP "-fmacro-prefix-map=${up}/=")
    endif()
endif()
