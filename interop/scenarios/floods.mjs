// Strangers whose keys cost nothing, beside an honest run. The run without them is measured in the same scenario; the
// factors are those that the project promises, with some seconds for a machine that does other things, too.

import { HostileRelay } from '../hostile_relay.mjs';
import { after, orders } from '../lib.mjs';
import { Client, hexOf, isLast, Keys, seconds, tagOf } from '../nostr.mjs';

const FACTOR = 4;
const SLACK_SECONDS = 5;
// What one prompt takes at an engine, of which each answers four at once.
const PROMPT_SECONDS = 0.2;
const document = orders(16 * 40);

// Two providers and how long a run of forty parts takes there.
async function measured(s, relay, promptSeconds = PROMPT_SECONDS, about = document) {
  const providers = await s.providers(2, relay.url, promptSeconds);
  const run = await s.ask(relay.url, about);
  s.checkAnswer('without a flood a run has its answer', run, about);
  return { providers, base: run.seconds, home: run.home };
}

// That a run with a flood has its answer, and not much later than without one.
function checkTime(s, run, base, about = document) {
  s.checkAnswer('with it, too', run, about);
  const told = `${run.seconds.toFixed(1)} s, without a flood ${base.toFixed(1)} s: ×${(run.seconds / base).toFixed(1)}`;
  s.note(told);
  s.check(`in ${FACTOR} times the time, and ${SLACK_SECONDS} s`, run.seconds <= FACTOR * base + SLACK_SECONDS, told);
}

// A job of our dialect: one answer for each input, in plain sight but directed.
function job(keys, provider, inputs, more = [], lifetime = 60) {
  const tags = [
    ['p', provider],
    ['expiration', String(seconds() + lifetime)],
    ['frlm', '1'],
    ...inputs.map((text) => ['i', text, 'text']),
    ['param', 'instruction', 'copy status'],
    ['param', 'mode', 'each'],
    ...more,
  ];
  return keys.sign(5050, tags);
}

// Signs of life, and in the full size announcements, of keys that nobody has heard of; dated ahead.
function lives(count, announcements) {
  const events = [];
  for (let number = 0; number < count; number += 1) {
    const keys = new Keys();
    const ends = ['expiration', String(seconds() + 600)];
    events.push(keys.sign(31991, [['d', 'frlm'], ends], '{"queue_length":0}', seconds() + 60));
    if (number < announcements) {
      events.push(keys.sign(31990, [['d', 'frlm'], ['k', '5050'], ends], '{"name":"flood"}', seconds() + 60));
    }
  }
  return events;
}

const heartbeats = {
  name: 'flood of signs of life',
  alone: true,
  longest: 300,
  async run(s, size) {
    const relay = s.uses(await HostileRelay.start('limit-500'));
    const { providers, base } = await measured(s, relay);
    const [count, announcements] = size === 'full' ? [10_000, 2_000] : [600, 0];
    const stranger = await Client.connect(s, relay.url);
    const events = lives(count, announcements);
    stranger.flood(events);
    await stranger.publish(new Keys().sign(1, [], 'the flood is over'));
    s.check('the relay has the flood', relay.count(31991) >= count, relay.count(31991));
    const run = await s.ask(relay.url, document);
    checkTime(s, run, base);
    const seen = (await s.trace(run)).filter(({ type }) => type === 'provider_seen').map(({ provider }) => provider);
    s.check('both providers are seen', providers.every(({ npub }) => seen.includes(hexOf(npub))), `${seen.length} seen`);
  },
};

// Offers and signs of life of keys that answer no job.
function offers(count) {
  const ends = ['expiration', String(seconds() + 600)];
  const frlm = { version: '1', model: 'flood', context_tokens: 4096, prefill_tokens_per_sec: 4000, decode_tokens_per_sec: 400, price_msats_per_1k: 0, dialect: 'json', concurrency: 4, roles: ['worker'] };
  return Array.from({ length: count }, () => new Keys()).flatMap((keys) => [
    keys.sign(31990, [['d', 'frlm'], ['k', '5050'], ends], JSON.stringify({ name: 'flood', frlm })),
    keys.sign(31991, [['d', 'frlm'], ['queue', '0'], ends]),
  ]);
}

const silentProviders = {
  name: 'flood of providers that never answer',
  alone: true,
  longest: 300,
  async run(s, size) {
    // It sends the newest first, so that the crowd is heard of before the two that the asker knows.
    const relay = s.uses(await HostileRelay.start('one-by-one'));
    // So many parts that the two cannot have all of them at once.
    const large = orders(16 * 160);
    const { providers, base, home } = await measured(s, relay, PROMPT_SECONDS, large);
    const stranger = await Client.connect(s, relay.url);
    stranger.flood(offers(size === 'full' ? 1_000 : 100));
    await stranger.publish(new Keys().sign(1, [], 'the flood is over'));
    const named = await s.ask(relay.url, large, providers.flatMap(({ npub }) => ['--provider', npub]));
    checkTime(s, named, base, large);
    const known = await s.ask(relay.url, large, ['--fresh'], { home });
    s.note('of an asker with a record of the others:');
    checkTime(s, known, base, large);
    const trace = await s.trace(known);
    const seen = new Set(trace.filter(({ type }) => type === 'provider_seen').map(({ provider }) => provider));
    const asked = trace.filter(({ type }) => type === 'subquery_submit').map(({ provider }) => provider);
    const others = asked.filter((provider) => !providers.some(({ npub }) => hexOf(npub) === provider));
    s.note(`${seen.size} providers seen; ${others.length} of ${asked.length} jobs went to those that never answer`);
    s.check('those that never answer are seen', seen.size > providers.length, seen.size);
  },
};

// An honest run while these jobs wait.
async function besides(s, makeJobs, { strangers = [], promptSeconds } = {}) {
  const relay = await s.relay();
  const { providers, base } = await measured(s, relay, promptSeconds);
  const stranger = await Client.connect(s, relay.url);
  await stranger.listen([stranger.keys, ...strangers]);
  const jobs = providers.flatMap(({ npub }) => makeJobs(hexOf(npub)));
  stranger.flood(jobs);
  await stranger.publish(new Keys().sign(1, [], 'the flood is over'));
  // A stranger like any other, who comes after them.
  const newcomer = await Client.connect(s, relay.url);
  await newcomer.listen();
  const asked = job(newcomer.keys, hexOf(providers[0].npub), ['0001 order 4001 by user1 amount 3 shipped']);
  const told = newcomer.answer(asked.id, () => true, 30);
  const began = Date.now();
  await newcomer.publish(asked);
  const run = s.ask(relay.url, document);
  const first = await told;
  const waited = (Date.now() - began) / 1000;
  const status = first && [tagOf(first, 'status'), tagOf(first, 'retry-after')].flat().join(' ');
  s.note(`a new key heard after ${waited.toFixed(1)} s: ${status}`);
  s.check('a new key hears within 2 s how its job stands', first && waited < 2 + 2, `after ${waited.toFixed(1)} s: ${status}`);
  if (first && isLast(first) && first.kind === 7000) {
    s.check('and when to come back', tagOf(first, 'retry-after'), status);
  }
  checkTime(s, await run, base);
  const tries = await untilServed(newcomer, hexOf(providers[0].npub));
  s.check('the new key is served when it comes back as it is told', tries !== null, `after ${MOST_TRIES} tries`);
  if (tries !== null) s.note(`the new key is served at its try ${tries}`);
  return { providers, jobs, stranger };
}

// How often a key has to come back until it has a result; null if it never has.
const MOST_TRIES = 8;
async function untilServed(newcomer, provider) {
  for (let number = 1; number <= MOST_TRIES; number += 1) {
    const asked = job(newcomer.keys, provider, ['0001 order 4001 by user1 amount 3 shipped']);
    await newcomer.publish(asked);
    const last = await newcomer.answer(asked.id, isLast, 60);
    if (last?.kind === 6050) return number;
    await after(Number(last && tagOf(last, 'retry-after')?.[0]) || 5);
  }
  return null;
}

const record = (number) => `${number} order ${4000 + number} by user${number % 7} amount ${number * 3} shipped`;

const manyKeys = {
  name: 'flood of keys with five jobs each',
  alone: true,
  longest: 300,
  async run(s, size) {
    const keys = Array.from({ length: size === 'full' ? 1_000 : 100 }, () => new Keys());
    const five = (key, provider) => [1, 2, 3, 4, 5].map((number) => job(key, provider, [record(number), record(number + 5)]));
    // So slow that a full queue is a wait, however long the flood takes to arrive.
    await besides(s, (provider) => keys.flatMap((key) => five(key, provider)), { promptSeconds: 0.5 });
  },
};

const oneKey = {
  name: 'flood of jobs of one key',
  alone: true,
  longest: 300,
  async run(s, size) {
    const key = new Keys();
    const count = size === 'full' ? 5_000 : 500;
    await besides(s, (provider) => Array.from({ length: count }, (_, number) => job(key, provider, [record(number)])));
  },
};

const hogs = {
  name: 'hogs with 300 inputs each',
  alone: true,
  longest: 300,
  async run(s) {
    const keys = [new Keys(), new Keys()];
    const long = ['param', 'max_tokens', '400'];
    const inputs = Array.from({ length: 300 }, (_, number) => `${number} ${'please repeat all of this '.repeat(15)}`);
    const { jobs, stranger } = await besides(s, (provider) => keys.map((key) => job(key, provider, inputs, [long], 300)), { strangers: keys });
    // 300 answers of 400 letters and more fit into no result.
    const told = await Promise.all(jobs.map(({ id }) => stranger.answer(id, isLast, 60)));
    const refused = told.filter((event) => event?.kind === 7000 && tagOf(event, 'reason')?.[0] === 'too-large');
    s.check('too many answers are refused', refused.length === jobs.length, told.map((event) => event && tagOf(event, 'status')));
  },
};

export const scenarios = [heartbeats, silentProviders, manyKeys, oneKey, hogs];
