// Providers of another make (../foreign.mjs) next to two of ours, and what becomes of the run.

import { billing, denying, failing, flooding, Foreign, garbage, honest, inventing, lying, silent } from '../foreign.mjs';
import { orders } from '../lib.mjs';

// Its lines say what they say of: code can hold them against the condition.
const document = orders(96, 'status=');
const FACTOR = 2;
const SLACK_SECONDS = 8;
const MOST_FAILED = 8;

async function place(s, ours = 2) {
  const relay = await s.meeting();
  await s.providers(ours, relay.url);
  return relay;
}

async function runWith(s, relay, behaves, args = ['--timeout', '100'], about = document) {
  const foreign = await Foreign.join(s, relay.url, behaves);
  const run = await s.ask(relay.url, about, ['--foreign', foreign.keys.npub, ...args]);
  const trace = run.json ? await s.trace(run) : [];
  const agreed = trace.filter(({ type, agreeing }) => type === 'verify' && agreeing.includes(foreign.keys.hex));
  return { foreign, run, agreed: agreed.length };
}

const inTheWay = {
  name: 'foreign providers in the way',
  longest: 240,
  async run(s) {
    const relay = await place(s);
    const alone = await s.ask(relay.url, document);
    s.checkAnswer('two of ours alone answer', alone, document);
    const most = FACTOR * alone.seconds + SLACK_SECONDS;
    for (const [words, behaves] of [['silent', silent], ['flooding', flooding], ['failing', failing]]) {
      const { foreign, run } = await runWith(s, relay, behaves);
      s.note(`${words}: ${run.seconds.toFixed(1)} s and ${foreign.jobs} jobs, alone ${alone.seconds.toFixed(1)} s`);
      s.checkAnswer(`beside a ${words} one the run has its answer`, run, document);
      s.check(`a ${words} one is asked`, foreign.jobs > 0, foreign.jobs);
      s.check(`a ${words} one costs at most ${FACTOR} times the time and ${SLACK_SECONDS} s`, run.seconds <= most, `${run.seconds.toFixed(1)} s, alone ${alone.seconds.toFixed(1)} s`);
      if (behaves === failing) s.check('a failing one is left alone soon', foreign.jobs <= MOST_FAILED, `${foreign.jobs} jobs for 6 parts`);
    }
  },
};

const liars = {
  name: 'foreign providers that lie',
  async run(s) {
    const relay = await place(s);
    for (const [words, behaves] of [
      ['one that quotes lines which say the contrary', lying],
      ['one that invents quotes', inventing],
      ['one that finds nothing', denying],
      ['one that talks garbage', garbage],
    ]) {
      const { foreign, run, agreed } = await runWith(s, relay, behaves);
      s.check(`${words} is asked`, foreign.jobs > 0, foreign.jobs);
      s.checkAnswer(`beside ${words} the answer is right`, run, document);
      s.check(`${words} agrees with nobody`, agreed === 0, agreed);
      s.check(`${words} costs nothing`, run.json?.budget.spent_sats === 0, run.json?.budget);
    }
  },
};

const alone = {
  name: 'foreign providers with nobody beside them',
  async run(s) {
    const relay = await s.meeting();
    const args = ['--verify', 'none', '--timeout', '40'];
    const fair = await runWith(s, relay, honest, args);
    s.checkAnswer('an honest one answers', fair.run, document);
    for (const [words, behaves] of [['one that quotes lines which say the contrary', lying], ['one that invents quotes', inventing], ['garbage', garbage]]) {
      const { run } = await runWith(s, relay, behaves, args);
      s.checkNothingWrong(`${words}: nothing wrong is said as if it were sure`, run, document);
      if (run.code === 0) s.check(`${words}: less sure than of the honest one`, run.json.confidence < fair.run.json?.confidence, [run.json.confidence, fair.run.json?.confidence]);
    }
    // Lines that name no field, of a form in which code sees where the value stands.
    const bare = orders(96);
    const { run } = await runWith(s, relay, lying, args, bare);
    s.check('one that quotes bare lines which say the contrary is not believed', run.code !== 0, run.json?.answer);
  },
};

const confidence = {
  name: 'confidence beside foreign providers',
  async run(s) {
    const relay = await place(s, 1);
    const fair = await runWith(s, relay, honest);
    s.checkAnswer('one of ours and an honest one answer', fair.run, document);
    s.check('the honest one agrees', fair.agreed > 0, fair.agreed);
    const why = fair.run.json?.decisions.find(({ reasoning }) => reasoning.includes('state no confidence'));
    s.check('where it is no surer than 0.5 it says why', fair.run.json?.confidence > 0.5 || why, fair.run.json?.confidence);
    const { run } = await runWith(s, relay, lying, ['--timeout', '40']);
    s.checkNothingWrong('one of ours and a liar: nothing wrong is said', run, document);
    const [honestly, falsely] = [fair.run.json?.confidence ?? 0, run.code === 0 ? run.json.confidence : 0];
    s.check('a run is not surer with a liar than with an honest one', honestly >= falsely, { honestly, falsely });
  },
};

const others = {
  name: 'foreign providers that answer jobs of others, or bill',
  async run(s) {
    const relay = await place(s);
    const thief = await Foreign.join(s, relay.url, silent);
    await thief.answersOthers('{"matches":[]}');
    const run = await s.ask(relay.url, document);
    s.checkAnswer('answers of those who were not asked count for nothing', run, document);
    const billed = await runWith(s, relay, billing);
    s.checkAnswer('beside one that wants pay the run has its answer', billed.run, document);
    s.check('without a bid nobody is paid', billed.run.json?.budget.spent_sats === 0, billed.run.json?.budget);
  },
};

export const scenarios = [inTheWay, confidence, alone, liars, others];
