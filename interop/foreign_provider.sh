#!/usr/bin/env bash
# Providers that know nothing of this program but docs/protocol.md answer runs over the embedded relay: a count over records, for
# which one copies fields and one has a model, and a question in words. Nobody without a record is believed alone, so that they are
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
finish() {
  for process in "${started[@]}"; do kill "$process" 2>/dev/null || true; done
  rm -rf "$scratch"
}
trap finish EXIT

give_up() {
  echo "$1" >&2
  tail -n 20 "$scratch"/*.log >&2
  exit 1
}

# Starts a program and waits for its first line: `begin NAME COMMAND…` sets `line`.
begin() {
  "${@:2}" >"$scratch/$1.out" 2>"$scratch/$1.log" &
  started+=($!)
  for _ in $(seq 300); do
    [ -s "$scratch/$1.out" ] && line=$(head -n 1 "$scratch/$1.out") && return
    sleep 0.1
  done
  give_up "$1 does not begin"
}

# What a run answers, in a home of its own: `ask NAME QUESTION FILE`.
ask() {
  "$frlm" ask "$2" --file "$3" --home "$scratch/$1" --by swarm --relay "$relay" --fragment-lines 64 --timeout 60 --yes --json \
    >"$scratch/$1.json" 2>"$scratch/$1.log" || give_up "the run $1 failed"
}

node provider.mjs --check-vectors ../protocol/tests/vectors.json
begin relay "$frlm" relay --home "$scratch/relay" --listen 127.0.0.1:0
relay=$line
begin model node extractive_endpoint.mjs
general=(--endpoint "$line" --model extractive)
# Their keys are the numbers 1 to 4.
key() { printf '%064d' "$1"; }
begin provider-1 node provider.mjs --relay "$relay" --key "$(key 1)"
for number in 2 3 4; do
  begin "provider-$number" node provider.mjs --relay "$relay" --key "$(key "$number")" "${general[@]}"
done
ask records 'How many orders have status failed?' "$orders"
"$frlm" providers list --home "$scratch/records" --json >"$scratch/known.json"
ask words 'What rent does the tenant pay each month?' "$lease"

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
// The one that copies fields and those with a model were right with each other, and nobody was wrong.
const keyOf = (number) => getPublicKey(Uint8Array.from({ length: 32 }, (_, at) => (at === 31 ? number : 0)))
const records = read('known')
const wereRight = records.filter((record) => record.right > 0).map((record) => record.provider)
assert(records.every((record) => record.wrong === 0), JSON.stringify(records))
assert(wereRight.includes(keyOf(1)) && [2, 3, 4].some((number) => wereRight.includes(keyOf(number))), JSON.stringify(records))
const { citations, verification: { claims } } = verified('words')
const [, line, quote] = /^(\d+):\s*(.*)$/.exec(rent)
assert(citations.some((one) => one.lines[0] === Number(line) && one.quote === quote), rent)
assert(claims.accepted > 0 && claims.reviews > 0)
assert.deepEqual([claims.stated, claims.not_reviewed, claims.gold_wrong], [claims.accepted, 0, 0])
CHECK
