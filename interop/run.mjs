// Runs all scenarios against a built `frlm` and prints what came of each.
//
// usage: node run.mjs PATH_TO_FRLM [small|full] [WORDS]
//   WORDS: only scenarios whose names have these words

import { resolve } from 'node:path';
import { KNOWN_FAULTS } from './known_faults.mjs';
import { Trouble, within } from './lib.mjs';
import { everywhere } from './places.mjs';
import { Scenario } from './scenario.mjs';
import { scenarios as askers } from './scenarios/askers.mjs';
import { scenarios as floods } from './scenarios/floods.mjs';
import { scenarios as others } from './scenarios/other_relays.mjs';
import { scenarios as providers } from './scenarios/providers.mjs';
import { scenarios as relays } from './scenarios/relays.mjs';

// Most of them wait most of the time.
const AT_ONCE = 5;
const LONGEST_SECONDS = 150;

const [frlm, size = 'small', words = ''] = process.argv.slice(2);
if (!frlm || !['small', 'full'].includes(size)) {
  console.error('usage: run.mjs PATH_TO_FRLM [small|full] [WORDS]');
  process.exit(2);
}

async function play(played) {
  const { name, longest = LONGEST_SECONDS } = played;
  const scenario = new Scenario(resolve(frlm), name, played.place);
  const began = Date.now();
  try {
    const done = await within(longest, played.run(scenario, size).then(() => 'done'));
    scenario.check(`ends within ${longest} s`, done);
  } catch (error) {
    scenario.check('goes on to its end', false, error instanceof Trouble ? error.message : error.stack);
  }
  await scenario.close();
  const rows = scenario.checks.map((check) => judged(name, check));
  // What is listed and was never looked at says nothing either way, which is no way to keep a list true.
  for (const known of KNOWN_FAULTS.filter((known) => known.scenario === name)) {
    if (!rows.some((row) => row.words === known.check)) {
      rows.push({ words: known.check, got: 'listed as a known fault, and not checked', result: 'FAILED' });
    }
  }
  return { name, rows, seconds: (Date.now() - began) / 1000 };
}

function judged(name, { words, holds, got }) {
  const known = KNOWN_FAULTS.find(({ scenario, check }) => scenario === name && check === words);
  if (!known) return { words, got, result: holds ? 'ok' : 'FAILED' };
  if (holds && known.timed) return { words, got, result: 'ok' };
  if (holds) return { words, got: `listed as known fault ${known.fault}, and holds: take it off the list`, result: 'FAILED' };
  return { words, got, result: `known fault ${known.fault}` };
}

function print({ name, rows, seconds }) {
  for (const { words, got, result } of rows) {
    const told = result === 'ok' ? '' : `\n${' '.repeat(17)}got: ${got.replaceAll('\n', `\n${' '.repeat(22)}`)}`;
    console.log(`${result.padEnd(15)}  ${name}: ${words}${told}`);
  }
  console.log(`${''.padEnd(15)}  ${name}: ${seconds.toFixed(1)} s`);
}

const all = [...floods, ...providers, ...relays, ...askers, ...others, ...everywhere([...providers, ...askers])];
const chosen = all.filter(({ name, full }) => (size === 'full' || !full) && name.includes(words));
const began = Date.now();
const results = [];
const waiting = chosen.filter(({ alone }) => !alone);
const workers = Array.from({ length: AT_ONCE }, async () => {
  while (waiting.length > 0) {
    const result = await play(waiting.shift());
    print(result);
    results.push(result);
  }
});
await Promise.all(workers);
// What compares times has the machine to itself.
for (const scenario of chosen.filter(({ alone }) => alone)) {
  const result = await play(scenario);
  print(result);
  results.push(result);
}

console.log(`\n${'scenario'.padEnd(44)}  ${'checks'.padStart(6)}  ${'failed'.padStart(6)}  ${'known'.padStart(6)}  ${'seconds'.padStart(7)}`);
const count = (rows, begin) => rows.filter(({ result }) => result.startsWith(begin)).length;
for (const { name, rows, seconds } of results) {
  const figures = [rows.length, count(rows, 'FAILED'), count(rows, 'known')].map((figure) => String(figure).padStart(6));
  console.log(`${name.padEnd(44)}  ${figures.join('  ')}  ${seconds.toFixed(1).padStart(7)}`);
}
const rows = results.flatMap((result) => result.rows);
const failed = count(rows, 'FAILED');
console.log(`${rows.length} checks: ${count(rows, 'ok')} ok, ${count(rows, 'known')} known faults, ${failed} failed, in ${((Date.now() - began) / 1000).toFixed(0)} s`);
process.exit(failed > 0 || rows.length === 0 ? 1 : 0);
