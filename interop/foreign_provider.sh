#!/usr/bin/env bash
# A provider that knows nothing of this program but docs/protocol.md answers a run over the embedded relay, under two keys: nobody
# without a record is believed alone. The answer is held against grep. Usage, after `npm ci` in this folder:
#
#   interop/foreign_provider.sh PATH_TO_FRLM
set -euo pipefail
frlm=$(realpath "${1:?usage: foreign_provider.sh PATH_TO_FRLM}")
cd "$(dirname "$0")"
sample=$(realpath ../assets/samples/orders.log)
scratch=$(mktemp -d)
export FRLM_HOME=$scratch/home
started=()
finish() {
  for process in "${started[@]}"; do kill "$process" 2>/dev/null || true; done
  rm -rf "$scratch"
}
trap finish EXIT

# Waits until a file has a line, and prints the first.
first_line() {
  for _ in $(seq 300); do
    [ -s "$1" ] && { head -n 1 "$1"; return; }
    sleep 0.1
  done
  echo "nothing came of $1:" >&2
  cat "$scratch"/*.log >&2
  return 1
}

node provider.mjs --check-vectors ../protocol/tests/vectors.json

"$frlm" relay --listen 127.0.0.1:0 >"$scratch/relay.out" 2>"$scratch/relay.log" &
started+=($!)
relay=$(first_line "$scratch/relay.out")
npubs=()
for number in 1 2; do
  key=$(printf '%064d' "$number")
  node provider.mjs --relay "$relay" --key "$key" >"$scratch/provider-$number.out" 2>"$scratch/provider-$number.log" &
  started+=($!)
done
for number in 1 2; do
  online=$(first_line "$scratch/provider-$number.out")
  npubs+=("$(cut -d ' ' -f 2 <<<"$online")")
done

expected=$(grep -c 'status=failed' "$sample")
if ! "$frlm" ask 'How many orders have status failed?' --file "$sample" --by swarm --relay "$relay" --timeout 60 --yes --json \
  >"$scratch/answer.json" 2>"$scratch/ask.log"; then
  echo 'the run failed:' >&2
  cat "$scratch"/*.log >&2
  exit 1
fi
"$frlm" providers list --json >"$scratch/records.json"
node --input-type=module - "$scratch" "$expected" "${npubs[@]}" <<'CHECK'
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { decode } from 'nostr-tools/nip19'
const [scratch, expected, ...npubs] = process.argv.slice(2)
const read = (name) => JSON.parse(readFileSync(`${scratch}/${name}.json`, 'utf8'))
const { answer, subtasks, verification, usage, duration_ms: took } = read('answer')
assert.match(answer, new RegExp(`^${expected} records match`))
assert(subtasks.total > 0)
assert.deepEqual([subtasks.verified, subtasks.swarm, subtasks.local], [subtasks.total, subtasks.total, 0])
assert.deepEqual([verification.gold_failed, verification.final_check.passed, usage.unreported], [0, true, 0])
const records = new Map(read('records').map((one) => [one.provider, one]))
assert.equal(records.size, npubs.length)
for (const npub of npubs) {
  const record = records.get(decode(npub).data)
  assert(record?.right > 0 && record.wrong === 0 && record.timeouts === 0, `${npub}: ${JSON.stringify(record)}`)
}
console.log(`${answer} ${subtasks.verified} of ${subtasks.total} parts verified in ${took} ms`)
CHECK
