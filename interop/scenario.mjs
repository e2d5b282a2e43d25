// One scenario under way: what it starts, what it checks, and words for both.

import { HostileRelay } from './hostile_relay.mjs';
import { freshHome, Program, QUESTION, Trouble, within } from './lib.mjs';
import { Model, reader } from './model.mjs';
import { hexOf, seenAt } from './nostr.mjs';

// What it started ends with it, and its checks are kept in order.
export class Scenario {
  // `place`: the relay over which it is played (places.mjs); the plain one of this suite if none is named.
  constructor(frlm, name, place) {
    this.frlm = frlm;
    this.name = name;
    this.place = place;
    this.checks = [];
    this.parts = [];
  }

  // One thing that must be so; `got` is told where it is not. Later checks are made all the same.
  check(words, holds, got = '') {
    if (this.over) return false;
    this.checks.push({ words, holds: Boolean(holds), got: typeof got === 'string' ? got : JSON.stringify(got) });
    return Boolean(holds);
  }

  // A figure that is worth reading also where all is well.
  note(words) {
    console.log(`${''.padEnd(15)}  ${this.name}: ${words}`);
  }

  // Something with a `stop`, which ends with the scenario.
  uses(part) {
    this.parts.push(part);
    return part;
  }

  start(args, { home = freshHome(), env = {} } = {}) {
    return this.uses(new Program(this.frlm, args, { env: { FRLM_HOME: home, ...env } }));
  }

  // The relay where all meet.
  async meeting() {
    return this.place ? this.place.start(this) : this.uses(await HostileRelay.start('plain'));
  }

  // `frlm relay`, with the limits of another one if that is named; its address is in `url`.
  async relay(like) {
    const program = this.start(['relay', '--listen', '127.0.0.1:0', ...(like ? ['--like', like] : [])]);
    program.url = await program.line(/^ws:\/\/\S+$/);
    return program;
  }

  // `frlm provide`, awaited until it has given a sign of life at each of `online`; its key is in `npub`.
  async provider(urls, args = [], online = [urls].flat()) {
    const relays = [urls].flat().flatMap((url) => ['--relay', url]);
    const program = this.start(['provide', ...relays, ...args]);
    program.npub = (await program.line(/\bas npub1/)).match(/npub1[a-z0-9]+/)[0];
    for (const url of online) {
      const seen = await within(60, seenAt(url, hexOf(program.npub)));
      if (!seen) throw new Trouble(`a provider gave no sign of life at ${url} within 60 s; it said:\n${program.lines.join('\n')}`);
    }
    return program;
  }

  // Providers of ours, each in front of an engine of its own that stands in for a general model.
  providers(count, urls, seconds = 0, online = [urls].flat()) {
    const start = async () => {
      const model = this.uses(await Model.start(reader, seconds));
      const provider = await this.provider(urls, ['--model', model.url], online);
      return Object.assign(provider, { model });
    };
    return Promise.all(Array.from({ length: count }, start));
  }

  // A run until its end; `json` is what it printed, or null.
  async ask(urls, document, args = [], { home = freshHome(), question = QUESTION } = {}) {
    const relays = [urls].flat().flatMap((url) => ['--relay', url]);
    const program = this.start(['ask', question, '--file', document.path, '--by', 'swarm', '--yes', '--json', ...relays, ...args], { home });
    const { code, seconds } = await program.ended;
    return { code, seconds, home, stderr: program.stderr, json: parsed(program.stdout) };
  }

  // What happened in a run, from its record.
  async trace(run) {
    const program = this.start(['runs', 'export', run.json.run_id], { home: run.home });
    await program.ended;
    return program.stdout.split('\n').filter(Boolean).map((line) => JSON.parse(line));
  }

  // That a run answered completely and rightly.
  checkAnswer(words, run, document) {
    const told = { code: run.code, answer: run.json?.answer, subtasks: run.json?.subtasks, stderr: run.stderr.slice(-300) };
    const right = run.json?.answer?.startsWith(`${document.failed} records match`);
    return this.check(words, run.code === 0 && right && run.json.coverage === 1, told);
  }

  // All that a run says to its asker beside its answer.
  said(run) {
    return [run.stderr, ...(run.json?.decisions ?? []).map(({ reasoning }) => reasoning)].join('\n');
  }

  // That no provider worked twice on the same part, under whatever name it came.
  checkWorkedOnce(providers) {
    const twice = providers.map(({ model }) => model.prompts.length - new Set(model.prompts).size);
    const worked = providers.reduce((sum, { model }) => sum + model.prompts.length, 0);
    this.note(`${worked} prompts were worked on`);
    return this.check('no provider works twice on the same part', worked > 0 && twice.every((count) => count === 0), twice);
  }

  // That a run, however it ended, said nothing wrong as if it were sure.
  checkNothingWrong(words, run, document) {
    const number = run.json?.answer?.match(/^\d+/)?.[0];
    const wrong = run.code === 0 && number !== undefined && Number(number) !== document.failed;
    return this.check(words, !wrong, { code: run.code, answer: run.json?.answer });
  }

  async close() {
    this.over = true;
    await Promise.all(this.parts.reverse().map((part) => part.stop()));
  }
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
