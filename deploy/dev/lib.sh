# shellcheck shell=sh
# Shared by the scripts in this folder, which run from the root of the repository. Each prints one path on
# stdout; progress goes to stderr, and the output of the tools it calls to a log.

self=deploy/dev/${0##*/}
log=.dev/${0##*/}.log
mkdir -p .dev && : >"$log" || exit 1

note() { echo "$self: $*" >&2; }

# One line that names what is missing and what to type.
give_up() {
    note "$* (details: $PWD/$log)"
    exit 1
}

quietly() { "$@" >>"$log" 2>&1 </dev/null; }

as_root() {
    if [ "$(id -u)" = 0 ]; then "$@"; else sudo -n "$@"; fi
}

may_apt() {
    command -v apt-get >/dev/null 2>&1 && as_root true 2>/dev/null
}

# The package lists are fetched only when the install fails without them: a fresh image has none.
apt_install() {
    may_apt || return 1
    note "installing $* with apt-get"
    quietly apt_get install "$@" && return
    quietly apt_get update
    quietly apt_get install "$@"
}

apt_get() {
    as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -y --no-install-recommends \
        -o DPkg::Lock::Timeout=120 "$@"
}

# make_venv DIR: a virtual environment with pip in it, by whichever way this Python allows.
make_venv() {
    venv_with_ensurepip "$1" || venv_with_pip "$1" || venv_with_apt "$1" || venv_with_deb "$1"
}

venv_with_ensurepip() { quietly python3 -m venv --clear "$1"; }

venv_with_pip() {
    quietly python3 -m venv --clear --without-pip "$1" &&
        quietly python3 -m pip --python "$1/bin/python" install pip
}

venv_with_apt() { apt_install python3-venv && venv_with_ensurepip "$1"; }

# Needs no root: Debian ships pip as a wheel, which runs from inside its package.
venv_with_deb() {
    quietly python3 -m venv --clear --without-pip "$1" || return 1
    quietly unpack_deb python3-pip-whl "$1/deb" || return 1
    for wheel in "$1"/deb/usr/share/python-wheels/pip-*.whl; do
        quietly "$1/bin/python" "$wheel/pip" install pip || return 1
    done
    rm -rf "$1/deb"
}

# unpack_deb PACKAGE DIR: with package lists of its own, so that nothing outside DIR is written.
unpack_deb() {
    mkdir -p "$2/lists/partial" "$2/cache/archives/partial"
    dir=$(cd "$2" && pwd)
    set -- "$1" -o "Dir::State::Lists=$dir/lists" -o "Dir::Cache=$dir/cache" -o Debug::NoLocking=1
    package=$1
    shift
    apt-get -q "$@" update
    (cd "$dir" && apt-get -q "$@" download "$package" && dpkg-deb -x "$package"_*.deb .)
}
