# Debian's packages: whatever a script needs and is not there.
# shellcheck shell=bash

# install_packages <package>...: installs those that are missing. Quick, and silent about apt, when all are there.
install_packages() {
    local missing
    mapfile -t missing < <(
        comm -23 <(printf '%s\n' "$@" | sort) \
            <(dpkg-query --show --showformat '${Package} ${db:Status-Status}\n' "$@" 2>/dev/null |
                sed -n 's/ installed$//p' | sort)
    )
    if ((${#missing[@]} == 0)); then
        return
    fi

    say "installing: ${missing[*]}"
    local as_root=()
    if ((EUID != 0)); then
        command -v sudo >/dev/null || die "not root, and sudo is not installed"
        as_root=(sudo)
    fi
    local apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get --quiet --yes)
    "${apt[@]}" update
    "${apt[@]}" install --no-install-recommends "${missing[@]}"
}
