#!/usr/bin/env bash
# Providers that know nothing of this program but docs/protocol.md answer runs over the embedded relay: a count over records by two
# that copy fields, and a question in words by three before a model. Nobody without a record is believed alone, so that they are
# several. The model is code and answers always the same. Usage, after `npm ci` in this folder:
#
#   interop/foreign_provider.sh PATH_TO_FRLM
set -euo pipefail
frlm=$(realpath "${1:?usage: foreign_provider.sh PATH_TO_FRLM}")
cd "$(dirname "$0")"
orders=../assets/samples/orders.log
lease=../conductor/tests/data/by-hand/lease/lease.txt
scratch=$(mktemp -d)
started=()
end_all() {
  for process in "${started[@]}"; do kill "$process" 2>/dev/null || true; done
  started=()
}
trap 'end_all; rm -rf "$scratch"' EXIT

give_up() {
  echo "$1" >&2
  tail -n 20 "$scratch"/*.log >&2
  exit 1
}

# Starts a program and waits for its first line: `begin NAME COMMAND…` sets `line`.
begin() {
  local name=$1
  # What an earlier one said must not be taken for its first line.
  rm -f "$scratch/$name.out"
  "${@:2}" >"$scratch/$name.out" 2>"$scratch/$name.log" &
  started+=($!)
  for _ in $(seq 300); do
    [ -s "$scratch/$name.out" ] && line=$(head -n 1 "$scratch/$name.out") && return
    sleep 0.1
  done
  give_up "$name does not begin"
}

# A relay and so many providers, and what a run with them answers: `scene NAME PROVIDERS QUESTION FILE [PROVIDER'S ARGUMENTS…]`.
scene() {
  local name=$1 providers=$2 question=$3 file=$4 relay
  export FRLM_HOME=$scratch/$name
  begin relay "$frlm" relay --listen 127.0.0.1:0
  relay=$line
  for number in $(seq "$providers"); do
    begin "provider-$number" node provider.mjs --relay "$relay" --key "$(printf '%064d' "$number")" "${@:5}"
  done
  "$frlm" ask "$question" --file "$file" --by swarm --relay "$relay" --fragment-lines 64 --timeout 60 --yes --json \
    >"$scratch/$name.json" 2>"$scratch/$name.log" || give_up "the run $name failed"
  end_all
}

node provider.mjs --check-vectors ../protocol/tests/vectors.json
scene records 2 'How many orders have status failed?' "$orders"
"$frlm" providers list --json >"$scratch/known.json"
begin model node extractive_endpoint.mjs
scene words 3 'What rent does the tenant pay each month?' "$lease" --endpoint "$line" --model extractive

node --input-type=module - "$scratch" "$(grep -c 'status=failed' "$orders")" "$(grep -n 'the rent is 3,550' "$lease")" <<'CHECK'
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { getPublicKey } from 'nostr-tools/pure'
const [scratch, count, rent] = process.argv.slice(2)
const read = (name) => JSON.parse(readFileSync(`${scratch}/${name}.json`, 'utf8'))

// Every part was answered by the swarm and verified, and every answer reported what it took.
function verified(name) {
  const answer = read(name)
  const { subtasks: { total, verified, swarm, local, failed }, verification, usage } = answer
  assert(total > 0)
  assert.deepEqual({ verified, swarm, local, failed }, { verified: total, swarm: total, local: 0, failed: 0 })
  assert.deepEqual([verification.gold_failed, verification.final_check.passed, usage.unreported], [0, true, 0])
  console.log(`${name}: ${total} of ${total} parts verified in ${answer.duration_ms} ms: ${answer.answer}`)
  return answer
}

assert.match(verified('records').answer, new RegExp(`^${count} records match`))
const records = new Map(read('known').map((record) => [record.provider, record]))
for (const number of [1, 2]) {
  const record = records.get(getPublicKey(Uint8Array.from({ length: 32 }, (_, at) => (at === 31 ? number : 0))))
  assert(record?.right > 0 && record.wrong === 0 && record.timeouts === 0, JSON.stringify(record))
}
const { citations, verification: { claims } } = verified('words')
const [, line, quote] = /^(\d+):\s*(.*)$/.exec(rent)
assert(citations.some((one) => one.lines[0] === Number(line) && one.quote === quote), rent)
assert(claims.accepted > 0 && claims.reviews > 0)
assert.deepEqual([claims.stated, claims.not_reviewed, claims.gold_wrong], [claims.accepted, 0, 0])
CHECK
