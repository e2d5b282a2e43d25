// Runs over relays that behave badly, each in one way (../profiles.mjs).

import { HostileRelay } from '../hostile_relay.mjs';
import { orders } from '../lib.mjs';
import { hexOf } from '../nostr.mjs';

const small = orders(64);

// A relay of this profile with providers of ours at it.
async function swarm(s, profile, providers = 2) {
  const relay = s.uses(await HostileRelay.start(profile));
  relay.providers = await s.providers(providers, relay.url);
  return relay;
}

// A run over a relay that works as relays do has its answer.
function works(profile, { full = false } = {}) {
  return {
    name: `relay ${profile}`,
    full,
    async run(s) {
      const relay = await swarm(s, profile);
      s.checkAnswer('a run has its whole answer', await s.ask(relay.url, small), small);
    },
  };
}

const authenticates = {
  name: 'relay auth',
  async run(s) {
    const relay = await swarm(s, 'auth');
    const shown = relay.providers.filter(({ npub }) => relay.authenticated.has(hexOf(npub)));
    s.check('both providers show their keys', shown.length === 2, shown.length);
    const before = relay.authenticated.size;
    s.checkAnswer('a run has its whole answer', await s.ask(relay.url, small), small);
    s.check('the run shows a key of its own', relay.authenticated.size === before + 1, relay.authenticated.size - before);
  },
};

const refusesAnnouncements = {
  name: 'relay no-announcements',
  async run(s) {
    const relay = s.uses(await HostileRelay.start('no-announcements'));
    const provider = await s.provider(relay.url, [], []);
    await provider.line(/blocked: kind 3199\d is not wanted here/, 30).then(
      () => s.check('the operator reads why nobody finds the provider', true),
      (error) => s.check('the operator reads why nobody finds the provider', false, error.message),
    );
    const run = await s.ask(relay.url, small);
    s.check('a run ends with exit code 4', run.code === 4, run.code);
    s.check('and within 40 s', run.seconds < 40, run.seconds);
  },
};

const refusesJobs = {
  name: 'relay no-jobs',
  async run(s) {
    const relay = await swarm(s, 'no-jobs');
    const run = await s.ask(relay.url, small, ['--timeout', '60']);
    s.check('a run does not say that it has an answer', run.code !== 0 && run.code !== null, run.code);
    s.check('the asker reads what the relay says', /blocked: kind 5050 is not wanted here/.test(s.said(run)), s.said(run).slice(-400));
    s.check('each part is offered twice to each provider at most', relay.count(5050) <= 16, `${relay.count(5050)} jobs for 4 parts`);
    s.check('the run ends before its time is over', run.seconds < 50, run.seconds);
  },
};

const oneSubscription = {
  name: 'relay one-subscription',
  async run(s) {
    const relay = s.uses(await HostileRelay.start('one-subscription'));
    await s.provider(relay.url, [], []);
    const run = await s.ask(relay.url, small);
    s.check('the asker reads what the relay says', /too many subscriptions, 1 at most/.test(s.said(run)), s.said(run).slice(-400));
    s.check('the run ends within 60 s', run.seconds < 60, run.seconds);
    s.checkNothingWrong('and says nothing wrong', run, small);
  },
};

// Twenty jobs go at once and two in the next minute.
const fewEvents = {
  name: 'relay 20-events-a-minute',
  async run(s) {
    const document = orders(16 * 22);
    const relay = await swarm(s, '20-events-a-minute', 1);
    const run = await s.ask(relay.url, document, ['--verify', 'none', '--timeout', '100']);
    s.checkAnswer('22 jobs have their results in 100 s', run, document);
    const said = run.stderr + relay.providers[0].stderr + relay.providers[0].stdout;
    s.check('the limit is named in the relay\'s words', /rate-limited: 20 events a minute/.test(said), said.slice(-400));
    const results = relay.events(6050);
    s.check('no job is answered twice', new Set(results.map((event) => event.tags.find(([name]) => name === 'e')[1])).size === results.length, results.length);
    s.note(`${run.seconds.toFixed(0)} s, ${relay.count(5050)} tries to publish a job, ${relay.count(6050)} a result`);
    s.checkWorkedOnce(relay.providers);
  },
};

const manyPartsFewEvents = {
  name: 'relay 300-events-a-minute, 1,000 parts',
  full: true,
  longest: 1_500,
  async run(s) {
    const document = orders(16_000);
    const relay = await swarm(s, '300-events-a-minute', 2);
    const run = await s.ask(relay.url, document, ['--verify', 'none', '--timeout', '1400']);
    s.checkAnswer('1,000 parts have their answers', run, document);
    s.note(`${run.seconds.toFixed(0)} s, ${relay.count(5050)} tries to publish a job, ${relay.count(6050)} a result`);
    const done = relay.events(6050).map((event) => `${event.pubkey} ${event.tags.find(([name]) => name === 'e')[1]}`);
    s.check('no job is answered twice by one provider', new Set(done).size === done.length, done.length);
    s.checkWorkedOnce(relay.providers);
  },
};

// Jobs that are larger than the relay takes, beside those that fit.
function tooLarge(profile) {
  return {
    name: `relay ${profile}`,
    async run(s) {
      const relay = await swarm(s, profile);
      s.checkAnswer('a run of small parts has its whole answer', await s.ask(relay.url, small), small);
      const document = orders(512);
      const run = await s.ask(relay.url, document, ['--fragment-lines', '256', '--timeout', '40']);
      s.check('a run whose jobs are too large has its answer, or reads why not', run.code === 0 || /content larger than 40\d\d characters/.test(s.said(run)), s.said(run).slice(-400));
      s.check('and ends within 30 s', run.seconds < 30, run.seconds);
      s.checkNothingWrong('and says nothing wrong', run, document);
    },
  };
}

const stops = {
  name: 'relay stops',
  async run(s) {
    const relay = await swarm(s, 'stops');
    const run = await s.ask(relay.url, small);
    s.checkAnswer('a run asks again for what was closed, and has its answer', run, small);
    s.check('the asker reads the notice', /this relay is being tidied up/.test(s.said(run)), s.said(run));
  },
};

const lies = {
  name: 'relay lies',
  async run(s) {
    const relay = await swarm(s, 'lies');
    const run = await s.ask(relay.url, small);
    s.checkAnswer('forgeries are not believed', run, small);
  },
};

const threeRelays = {
  name: 'three relays: ours, one drops half, one lies',
  longest: 330,
  async run(s, size) {
    const document = orders(size === 'full' ? 16 * 1_000 : 16 * 16);
    const relays = [await s.relay(), s.uses(await HostileRelay.start('drops-half')), s.uses(await HostileRelay.start('lies'))];
    const urls = relays.map(({ url }) => url);
    const providers = await s.providers(2, urls, 0, urls.slice(0, 1));
    const run = await s.ask(urls, document, ['--verify', 'none', '--timeout', '300']);
    s.checkAnswer('no result is lost', run, document);
    s.checkWorkedOnce(providers);
    const done = relays[2].events(6050).map((event) => `${event.pubkey} ${event.tags.find(([name]) => name === 'e')[1]}`);
    s.check('no job is answered twice by one provider', done.length > 0 && new Set(done).size === done.length, done.length);
  },
};

const dropsHalf = {
  name: 'relay drops-half',
  async run(s) {
    const relay = await swarm(s, 'drops-half');
    const run = await s.ask(relay.url, small, ['--timeout', '60', '--job-timeout', '8']);
    s.checkNothingWrong('a run says nothing wrong', run, small);
    s.check('and ends in its time', run.seconds < 75 && run.code !== null, run.seconds);
  },
};

const slow = {
  name: 'relay slow',
  async run(s) {
    const relay = await swarm(s, 'slow', 1);
    s.checkAnswer('a run finds its provider all the same', await s.ask(relay.url, orders(32), ['--verify', 'none']), orders(32));
  },
};

export const scenarios = [
  fewEvents,
  tooLarge('python-nostr-relay'),
  slow,
  works('plain', { full: true }),
  works('strfry'),
  works('nostream'),
  works('nostr-rs-relay', { full: true }),
  works('rnostr'),
  works('limit-500', { full: true }),
  authenticates,
  refusesAnnouncements,
  refusesJobs,
  oneSubscription,
  tooLarge('small-events'),
  stops,
  lies,
  dropsHalf,
  threeRelays,
  manyPartsFewEvents,
];
