# Sourced first by every script: strict mode, the root of the repository as working directory, messages.
# shellcheck shell=bash

set -euo pipefail

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
cd "$ROOT"

# Everything here is run by programs as well as by people: nothing may wait for an answer.
exec </dev/null

say() { printf '%s\n' "$*"; }

die() {
    printf '%s: %s\n' "${0##*/}" "$*" >&2
    exit 1
}

# help_if_asked "$@": prints the comment at the top of the script that runs, and ends, if the first argument asks for help.
help_if_asked() {
    case ${1:-} in
        -h | --help | help) ;;
        *) return 0 ;;
    esac
    awk 'NR > 1 && /^#/ { sub(/^# ?/, ""); print; next } NR > 1 { exit }' "$ROOT/scripts/${0##*/}"
    exit 0
}
