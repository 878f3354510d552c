#!/usr/bin/env bash
# Installs what checking needs: once, while Gradescope makes the image, or at the start of a job of GitHub Actions.
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

is_fit='import sys, ensurepip, venv; sys.exit(sys.version_info < (3, 11))'
python=''
find_python() {
    for candidate in python3 python3.14 python3.13 python3.12 python3.11; do
        if command -v "$candidate" >/dev/null && "$candidate" -c "$is_fit" 2>/dev/null; then
            python=$candidate
            return
        fi
    done
}
find_python
# An older image has a newer Python beside its own.
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
# The references are nobody's to read but ours.
chmod -R go-rwx "$here"
"$root/venv/bin/python" -P -m pitboss --version
