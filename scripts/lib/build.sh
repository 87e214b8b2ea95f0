# Configuring and building a preset.
# shellcheck shell=bash

# Two builds of one preset at a time would spoil each other, so the second waits for the first.
_with_lock_on() {
    local preset=$1
    shift
    mkdir -p "build/$preset"
    (
        flock 9
        "$@"
    ) 9>"build/$preset/.lock"
}

# Ninja watches the CMake files itself, but not the presets.
_configure_and_build() {
    local preset=$1 ninja=build/$1/build.ninja
    shift
    if [[ ! -e $ninja || CMakePresets.json -nt $ninja ]]; then
        cmake --preset "$preset" || return
    fi
    cmake --build --preset "$preset" --parallel "$(nproc)" "$@"
}

# configure_preset <preset>: brings build/<preset> up to date with the CMake files, without building.
configure_preset() { _with_lock_on "$1" cmake --preset "$1" >/dev/null; }

# build_preset <preset> [--target <target>]: configures if needed, and builds.
build_preset() { _with_lock_on "$1" _configure_and_build "$@"; }

# Path of a program of a built preset; says what is missing when it is not there.
program_of() {
    local preset=$1 program=build/$1/bin/$2
    [[ -x $program ]] || die "$program does not exist: this tree has no target $2"
    printf '%s\n' "$program"
}
