#!/usr/bin/env bash
# Installs what checking needs: once, when Gradescope builds the image, or at the start of a GitHub Actions job.
set -euo pipefail
root=${PITBOSS_AUTOGRADER:-/autograder}
here=$root/source
source "$here/settings.sh"

for name in "${executables[@]}"; do
    chmod u+x "$here/$name"
done

sudo=()
[ "$EUID" = 0 ] || sudo=(sudo)
install() { ${sudo[@]+"${sudo[@]}"} env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@"; }
${sudo[@]+"${sudo[@]}"} apt-get update -qq
install "${packages[@]}"

is_supported='import sys, ensurepip, venv; sys.exit(sys.version_info < (3, 11))'
python=''
find_python() {
    for candidate in python3 python3.14 python3.13 python3.12 python3.11; do
        if command -v "$candidate" >/dev/null && "$candidate" -c "$is_supported" 2>/dev/null; then
            python=$candidate
            return
        fi
    done
}
find_python
# Older images also offer newer versions of Python.
for version in 3.13 3.12 3.11; do
    [ -z "$python" ] || break
    install "python$version" "python$version-venv" 2>/dev/null && find_python
done
if [ -z "$python" ]; then
    echo "setup.sh: pitboss needs Python 3.11 or later, and this image has none to install; choose a newer one" >&2
    exit 1
fi

"$python" -m venv --clear "$root/venv"
"$root/venv/bin/python" -m pip install --quiet --disable-pip-version-check -r "$here/requirements.txt"
packages_folder=$("$root/venv/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
echo "$here" >"$packages_folder/pitboss.pth"
# Only our own user may read the references.
chmod -R go-rwx "$here"
"$root/venv/bin/python" -P -m pitboss --version
