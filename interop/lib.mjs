// Programs with fresh homes that surely end, lines that are awaited, documents.

import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const work = mkdtempSync(join(tmpdir(), 'frlm-interop-'));
const running = new Set();
let homes = 0;

// Nothing that was started here outlives this program, however it ends.
process.on('exit', () => {
  for (const program of running) endGroup(program);
  rmSync(work, { recursive: true, force: true });
});
for (const [signal, code] of [['SIGINT', 130], ['SIGTERM', 143], ['SIGHUP', 129]]) {
  process.on(signal, () => process.exit(code));
}

// A program and those that it started.
function endGroup(program) {
  try {
    process.kill(-program.pid, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
}

// An error with this class is a fault of the test's surroundings, and no result of a check.
export class Trouble extends Error {}

export function freshHome() {
  homes += 1;
  return join(work, `home-${homes}`);
}

// For programs that take no port 0.
export async function freePort() {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

export function writeDocument(name, text) {
  const path = join(work, name);
  writeFileSync(path, text);
  return path;
}

// Numbered records of orders, every fifth of which has failed: the embedded model reads them.
// `label` stands before the status.
export function orders(count, label = '') {
  const lines = [];
  for (let number = 1; number <= count; number += 1) {
    const status = number % 5 === 0 ? 'failed' : 'shipped';
    lines.push(`${String(number).padStart(4, '0')} order ${4000 + number} by user${number % 7} amount ${number * 3} ${label}${status}`);
  }
  return { path: writeDocument(`orders-${count}${label}.log`, `${lines.join('\n')}\n`), lines, failed: Math.floor(count / 5) };
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
    this.child = spawn(command, args, { detached: true, env: { ...process.env, NO_COLOR: '1', ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
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
    if (!this.end) endGroup(this.child);
    await this.ended;
  }
}

// Resolves after `seconds`: for time itself that has to pass, never instead of an event that can be awaited.
export const after = (seconds) => new Promise((resolve) => setTimeout(resolve, seconds * 1000));

// Resolves once `program` takes connections at `port`. Rejects when it ends first or `seconds` are over.
export async function reachable(program, port, seconds = 60) {
  const until = Date.now() + seconds * 1000;
  while (!(await connects(port))) {
    if (program.end || Date.now() > until) {
      throw new Trouble(`${program.name}: takes no connections at ${port}; it said:\n${program.lines.slice(-8).join('\n')}`);
    }
    await after(0.05);
  }
}

const connects = (port) =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    const done = (is) => {
      socket.destroy();
      resolve(is);
    };
    socket.on('connect', () => done(true));
    socket.on('error', () => done(false));
  });

// `promise`, or null once `seconds` are over.
export function within(seconds, promise) {
  let timer;
  const late = new Promise((resolve) => {
    timer = setTimeout(() => resolve(null), seconds * 1000);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}
