#!/usr/bin/env bash
# Wallet and escrow against a mint and a wallet that share no code with ours: Nutshell (Python), with its
# own fake Lightning. Installs what it needs into a folder of its own. Anything that is missing fails.
#
# FRLM_TEST_CARGO: what cargo is to test; by default what the workspace's own tests have built already.
set -euo pipefail
cd "$(dirname "$0")/../.."
work=$(mktemp -d)
mint=""
trap '[ -z "$mint" ] || kill "$mint" 2>/dev/null; rm -rf "$work"' EXIT

# Some systems ship Python without the part that makes environments.
if ! python3 -c 'import ensurepip, venv' 2>/dev/null; then
  apt-get update -q
  apt-get install -qy --no-install-recommends python3 python3-venv
fi
python3 -m venv "$work/venv"
# 0.21 wants a release of one of its dependencies that is not published; 0.20 older helpers.
"$work/venv/bin/pip" install -q --disable-pip-version-check 'cashu==0.20.2' 'marshmallow<4' 'limits<5'
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')

export MINT_BACKEND_BOLT11_SAT=FakeWallet MINT_PRIVATE_KEY=interop MINT_DATABASE="$work/mint"
export MINT_LISTEN_HOST=127.0.0.1 MINT_LISTEN_PORT="$port" MINT_RATE_LIMIT=FALSE FAKEWALLET_BRR=TRUE
export CASHU_DIR="$work/cashu" TOR=FALSE
(cd "$work" && exec "$work/venv/bin/mint") > "$work/mint.log" 2>&1 &
mint=$!
for _ in $(seq 1 120); do
  if python3 -c "import urllib.request; urllib.request.urlopen('http://127.0.0.1:$port/v1/info', timeout=1)" 2>/dev/null; then
    up=yes
    break
  fi
  sleep 0.5
done
[ "${up:-}" = yes ] || { cat "$work/mint.log"; echo "interop: the foreign mint did not start"; exit 1; }

# Tokens of ours are taken by Nutshell's wallet, and the other way round.
export MINT_URL="http://127.0.0.1:$port" FRLM_TEST_FOREIGN_MINT="http://127.0.0.1:$port"
export FRLM_TEST_FOREIGN_WALLET="$work/venv/bin/cashu"
read -ra what <<< "${FRLM_TEST_CARGO:---release --workspace --lib}"
cargo test "${what[@]}" cashu::tests::foreign -- --ignored --test-threads 1 | tee "$work/tests.log"
# A test that was renamed would otherwise pass by not being there.
grep -q 'test result: ok. 2 passed' "$work/tests.log" || { echo "interop: the tests did not run"; exit 1; }
