#!/usr/bin/env bash
# Wallet and escrow against mints and a wallet that share no code with ours: Nutshell (Python), with its
# own fake Lightning. Installs what it needs into a folder of its own. Anything that is missing fails.
#
# The suite is the one that runs at our own mint, in the same words. Left out of it: what is about our own
# mint's name, and the random interleavings, which count on a mint that answers in milliseconds. What pays
# an invoice is in it: this mint says "pending", then for some milliseconds "unpaid", and pays.
#
# FRLM_TEST_CARGO: what cargo is to test; by default what the workspace's own tests have built already.
# FRLM_KILL_RUNS: so many killed runs, and nothing else of the suite. FRLM_TEST_WITH_CASHU_TS=yes: without Node.js it fails.
set -euo pipefail
cd "$(dirname "$0")/../.."
work=$(mktemp -d)
mints=()
trap '[ ${#mints[@]} = 0 ] || kill "${mints[@]}" 2>/dev/null; rm -rf "$work"' EXIT

# Some systems ship Python without the part that makes environments.
if ! python3 -c 'import ensurepip, venv' 2>/dev/null; then
  apt-get update -q
  apt-get install -qy --no-install-recommends python3 python3-venv
fi
python3 -m venv "$work/venv"
# 0.21 wants a release of one of its dependencies that is not published; 0.20 older helpers.
"$work/venv/bin/pip" install -q --disable-pip-version-check 'cashu==0.20.2' 'marshmallow<4' 'limits<5'

export MINT_BACKEND_BOLT11_SAT=FakeWallet MINT_LISTEN_HOST=127.0.0.1 MINT_RATE_LIMIT=FALSE
export FAKEWALLET_BRR=TRUE CASHU_DIR="$work/cashu" TOR=FALSE
# Its Lightning pays at once, for one sat as ours does; asked about a payment that is on its way it says so.
# By default it takes three seconds, and calls what is on its way paid, for nothing.
export FAKEWALLET_DELAY_OUTGOING_PAYMENT=0 FAKEWALLET_PAYMENT_STATE=PENDING LIGHTNING_RESERVE_FEE_MIN=1000

# Starts a mint that takes so many thousandths of a sat for each proof that is spent; its address is in
# `started`.
start_mint() {
  local fee=$1 port up=""
  port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
  (
    cd "$work"
    export MINT_PRIVATE_KEY="interop-$fee" MINT_DATABASE="$work/mint-$fee" MINT_LISTEN_PORT=$port
    MINT_INPUT_FEE_PPK=$fee exec "$work/venv/bin/mint"
  ) > "$work/mint-$fee.log" 2>&1 &
  mints+=($!)
  started="http://127.0.0.1:$port"
  for _ in $(seq 1 120); do
    if python3 -c "import urllib.request; urllib.request.urlopen('$started/v1/info', timeout=1)" 2>/dev/null; then
      up=yes
      break
    fi
    sleep 0.5
  done
  [ "$up" = yes ] || { cat "$work/mint-$fee.log"; echo "interop: the foreign mint did not start"; exit 1; }
}

start_mint 0
export MINT_URL="$started" FRLM_TEST_FOREIGN_MINT="$started"
start_mint 100
export FRLM_TEST_FOREIGN_MINT_WITH_FEE="$started" FRLM_TEST_FOREIGN_WALLET="$work/venv/bin/cashu"
export FRLM_TEST_FOREIGN_PYTHON="$work/venv/bin/python"

# cashu-ts 4.8.0 asks for Node.js 22.4 and runs on 20 as well, as far as these tests use it.
if command -v node > /dev/null && command -v npm > /dev/null; then
  mkdir "$work/cashu-ts"
  npm install --silent --no-audit --no-fund --prefix "$work/cashu-ts" '@cashu/cashu-ts@4.8.0'
  export FRLM_TEST_CASHU_TS="$work/cashu-ts"
elif [ "${FRLM_TEST_WITH_CASHU_TS:-no}" = yes ]; then
  echo "interop: there is no Node.js here, and cashu-ts is to be tried"
  exit 1
else
  echo "interop: there is no Node.js here: cashu-ts is not tried"
fi

read -ra what <<< "${FRLM_TEST_CARGO:---profile ci --workspace --lib}"

# Runs tests one after the other (this mint's books are locked while it works), and fails unless so many
# have passed: a test that was renamed would otherwise pass by not being there.
passed() {
  local least=$1 found
  shift
  cargo test "${what[@]}" -- --test-threads 1 "$@" | tee "$work/tests.log"
  found=$(sed -n 's/^test result: ok\. \([0-9]*\) passed.*/\1/p' "$work/tests.log" | awk "{ sum += \$1 } END { print sum + 0 }")
  [ "$found" -ge "$least" ] || { echo "interop: $found tests ran, at least $least should"; exit 1; }
}

# Tokens and 2-of-2 locks of ours are taken by Nutshell's wallet and cashu-ts, and the other way round.
passed 5 --ignored cashu::tests::foreign
# Paid runs whose processes are killed at every step of the journal: ten, or as many as are asked for.
if [ "${FRLM_KILL_RUNS:-}" = "" ]; then
  passed 83 cashu::tests escrow::tests debts::tests --skip escrow::tests::faults --skip the_play_mint_says_what_it_is \
    --skip cashu::tests::hesitant
else
  passed 1 escrow::tests::kill_loop --nocapture
fi
