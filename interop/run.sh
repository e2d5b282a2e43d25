#!/usr/bin/env bash
# Independent Nostr software tries a built `frlm` from outside (README.md).
#
# usage: run.sh PATH_TO_FRLM [small|full] [WORDS]
set -euo pipefail
frlm=$(realpath "${1:?usage: run.sh PATH_TO_FRLM [small|full] [WORDS]}")
cd "$(dirname "$0")"
size=${2:-small}

if ! command -v node > /dev/null || ! command -v npm > /dev/null; then
  apt-get update -q
  apt-get install -qy --no-install-recommends nodejs npm
fi
node -e 'process.exit(Number.parseInt(process.versions.node, 10) < 20 ? 1 : 0)' || { echo "interop: Node.js 20 or later is needed, here is $(node --version)"; exit 1; }
# Once for each list of packages.
list=$(sha256sum package-lock.json | cut -c1-16)
if [ ! -e "node_modules/complete-$list" ]; then
  npm ci --silent --no-audit --no-fund --ignore-scripts
  touch "node_modules/complete-$list"
fi
if [ "$size" = full ]; then
  # Without them the scenarios over these relays fail.
  bash python_relay.sh .venv
  bash nostr_rs_relay.sh .nostr-rs-relay
fi
exec node run.mjs "$frlm" "$size" "${3:-}"
