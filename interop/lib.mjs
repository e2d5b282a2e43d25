// What every scenario needs: programs with fresh homes that surely end, lines that are awaited, checks that are kept.

import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Model, reader } from './model.mjs';

const work = mkdtempSync(join(tmpdir(), 'frlm-interop-'));
const running = new Set();
let homes = 0;

// Nothing that was started here outlives this program, however it ends.
process.on('exit', () => {
  for (const program of running) program.kill('SIGKILL');
  rmSync(work, { recursive: true, force: true });
});
for (const [signal, code] of [['SIGINT', 130], ['SIGTERM', 143], ['SIGHUP', 129]]) {
  process.on(signal, () => process.exit(code));
}

// An error with this class is a fault of the test's surroundings, and no result of a check.
export class Trouble extends Error {}

export function freshHome() {
  homes += 1;
  return join(work, `home-${homes}`);
}

export function writeDocument(name, text) {
  const path = join(work, name);
  writeFileSync(path, text);
  return path;
}

// Numbered records of orders, every fifth of which has failed: the embedded model reads them.
export function orders(count) {
  const lines = [];
  for (let number = 1; number <= count; number += 1) {
    const status = number % 5 === 0 ? 'failed' : 'shipped';
    lines.push(`${String(number).padStart(4, '0')} order ${4000 + number} by user${number % 7} amount ${number * 3} ${status}`);
  }
  return { path: writeDocument(`orders-${count}.log`, `${lines.join('\n')}\n`), lines, failed: Math.floor(count / 5) };
}

export const QUESTION = 'How many orders have status failed?';

// A program whose lines, of both its outputs, can be awaited.
export class Program {
  constructor(command, args, { env = {} } = {}) {
    this.lines = [];
    this.stdout = '';
    this.stderr = '';
    this.waiting = new Set();
    this.began = Date.now();
    this.name = [command.split('/').pop(), ...args.slice(0, 1)].join(' ');
    this.child = spawn(command, args, { env: { ...process.env, NO_COLOR: '1', ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
    running.add(this.child);
    for (const stream of ['stdout', 'stderr']) this.#read(stream);
    this.ended = new Promise((resolve) => {
      this.child.on('error', (error) => resolve({ code: null, error }));
      this.child.on('close', (code) => resolve({ code, seconds: (Date.now() - this.began) / 1000 }));
    });
    this.ended.then((end) => {
      running.delete(this.child);
      this.end = end;
      for (const waiter of [...this.waiting]) waiter.gone();
    });
  }

  #read(stream) {
    let rest = '';
    this.child[stream].setEncoding('utf8').on('data', (text) => {
      this[stream] += text;
      const lines = (rest + text).split('\n');
      rest = lines.pop();
      for (const line of lines) {
        this.lines.push(line);
        for (const waiter of [...this.waiting]) waiter.line(line);
      }
    });
  }

  // The first line that matches, also one that came before. Rejects when the program ends first or `seconds` are over.
  line(pattern, seconds = 60) {
    const found = this.lines.find((line) => pattern.test(line));
    if (found !== undefined) return Promise.resolve(found);
    return new Promise((resolve, reject) => {
      const trouble = (why) => reject(new Trouble(`${this.name}: no line like ${pattern} ${why}; it said:\n${this.lines.slice(-8).join('\n')}`));
      const waiter = {
        line: (line) => pattern.test(line) && settle(() => resolve(line)),
        gone: () => settle(() => trouble('before it ended')),
      };
      const timer = setTimeout(() => settle(() => trouble(`within ${seconds} s`)), seconds * 1000);
      const settle = (act) => {
        clearTimeout(timer);
        this.waiting.delete(waiter);
        act();
      };
      if (this.end) waiter.gone();
      else this.waiting.add(waiter);
    });
  }

  async stop() {
    if (!this.end) this.child.kill('SIGKILL');
    await this.ended;
  }
}

// One scenario under way: what it started ends with it, and its checks are kept in order.
export class Scenario {
  constructor(frlm, name) {
    this.frlm = frlm;
    this.name = name;
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

  // `frlm relay`; its address is in `url`.
  async relay() {
    const program = this.start(['relay', '--listen', '127.0.0.1:0']);
    program.url = await program.line(/^ws:\/\/\S+$/);
    return program;
  }

  // `frlm provide`, awaited until it is online at all relays; its keys are in `npub`.
  async provider(urls, args = [], { online = true } = {}) {
    const relays = [urls].flat();
    const program = this.start(['provide', ...relays.flatMap((url) => ['--relay', url]), ...args]);
    program.npub = (await program.line(/\bas npub1/)).match(/npub1[a-z0-9]+/)[0];
    for (const url of online ? relays : []) await program.line(new RegExp(`online at ${url}`), 90);
    return program;
  }

  // Providers of ours, each in front of an engine of its own that stands in for a general model.
  providers(count, urls, seconds = 0) {
    const start = async () => {
      const model = this.uses(await Model.start(reader, seconds));
      return this.provider(urls, ['--model', model.url]);
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

// Resolves after `seconds`: for time itself that has to pass, never instead of an event that can be awaited.
export const after = (seconds) => new Promise((resolve) => setTimeout(resolve, seconds * 1000));

// `promise`, or null once `seconds` are over.
export function within(seconds, promise) {
  let timer;
  const late = new Promise((resolve) => {
    timer = setTimeout(() => resolve(null), seconds * 1000);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}
