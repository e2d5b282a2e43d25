#!/usr/bin/env bash
# Installs Python's `nostr-relay` into a folder, once.
#
# usage: python_relay.sh FOLDER
set -euo pipefail
version=1.14
[ -e "$1/complete-$version" ] && exit
if ! python3 -c 'import ensurepip, venv' 2>/dev/null; then
  apt-get update -q
  apt-get install -qy --no-install-recommends python3 python3-venv
fi
rm -rf "$1"
python3 -m venv "$1"
"$1/bin/pip" install -q --disable-pip-version-check "nostr-relay==$version"
touch "$1/complete-$version"
