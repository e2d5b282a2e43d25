// Askers of another make (nostr-tools) with well-formed and malformed NIP-90 jobs, at `frlm provide`. A general model is
// a stand-in that echoes (../model.mjs); the embedded model is itself.

import { within } from '../lib.mjs';
import { Model, reader } from '../model.mjs';
import { Client, hexOf, isLast, isResult, opened, seconds, tagOf } from '../nostr.mjs';

const status = (event) => tagOf(event, 'status')?.join(' ');
const shown = (event) => (event ? { kind: event.kind, content: event.content.slice(0, 100), tags: event.tags.map((tag) => tag.map((value) => value.slice(0, 60))).slice(0, 8) } : 'nothing came');

// A provider of ours in front of an engine that answers with `answer` (or the embedded model), and an asker.
async function market(s, answer, args = []) {
  const relay = await s.meeting();
  const model = answer && s.uses(await Model.start(answer));
  const provider = await s.provider(relay.url, [...(model ? ['--model', model.url] : []), ...args]);
  const asker = await Client.connect(s, relay.url);
  await asker.listen();
  return { relay, model, provider, asker, to: hexOf(provider.npub) };
}

const directed = ({ to }, ...tags) => [['p', to], ...tags];

async function send({ asker }, tags, content = '', createdAt = seconds()) {
  const event = asker.keys.sign(5050, tags, content, createdAt);
  await asker.publish(event);
  return event;
}

// The same for what a relay may refuse. One that ends the connection with what is too large ends one of its own.
async function offer(s, { relay, asker }, tags, content = '', createdAt = seconds()) {
  const event = asker.keys.sign(5050, tags, content, createdAt);
  if (!s.place) {
    await asker.publish(event);
    return { event };
  }
  const apart = await Client.connect(s, relay.url, asker.keys);
  const refusal = await within(10, apart.publish(event).then(() => undefined, (error) => String(error)));
  apart.stop();
  return { event, refusal: refusal === null ? 'no answer' : refusal };
}

const wellFormed = {
  name: 'askers: well-formed jobs',
  async run(s) {
    const place = await market(s, reader);
    const { asker, to } = place;
    const { keys } = asker;

    const plain = await send(place, directed(place, ['i', 'what is a relay?', 'text'], ['output', 'text/plain'], ['bid', '5000']));
    const result = await asker.answer(plain.id, isLast);
    s.check('a plain job is answered', result?.kind === 6050 && result.content === 'you said: what is a relay?', shown(result));
    if (result) {
      s.check('its result is signed by the provider that was asked', result.pubkey === to);
      s.check('names the job and the asker', tagOf(result, 'e')?.[0] === plain.id && tagOf(result, 'p')?.[0] === keys.hex, shown(result));
      s.check('repeats the input', JSON.stringify(tagOf(result, 'i')) === '["what is a relay?","text"]', shown(result));
      s.check('and the request', JSON.parse(tagOf(result, 'request')?.[0] ?? '{}').id === plain.id, shown(result));
    }

    const secret = 'the fox is in the henhouse';
    const inner = JSON.stringify([['i', secret, 'text'], ['param', 'max_tokens', '50']]);
    for (const [scheme, content, other] of [
      ['NIP-44', keys.nip44(to, inner), 'NIP-04'],
      ['NIP-04', await keys.nip04(to, inner), 'NIP-44'],
    ]) {
      const job = await send(place, directed(place, ['encrypted']), content);
      const event = await asker.answer(job.id, isLast);
      const read = event && (await opened(keys, event));
      s.check(`a ${scheme} job is answered in ${scheme}, not ${other}`, event?.kind === 6050 && read.scheme === scheme && read.text === `you said: ${secret}`, { ...shown(event), read });
      s.check(`nothing of a ${scheme} job is told in clear`, !JSON.stringify(asker.about(job.id)).includes('henhouse'));
      s.check(`the result of a ${scheme} job names its request`, event && JSON.parse(tagOf(event, 'request')?.[0] ?? '{}').id === job.id, shown(event));
    }

    const twice = await send(place, directed(place, ['i', 'only once', 'text']));
    await asker.answer(twice.id, isLast);
    // Some relays refuse what they have.
    await asker.publish(twice).catch(() => {});
    const next = await send(place, directed(place, ['i', 'and another', 'text']));
    await asker.answer(next.id, isLast);
    const ids = new Set(asker.about(twice.id).filter(isResult).map(({ id }) => id));
    s.check('a job that comes twice is done once', ids.size === 1 && place.model.prompts.filter((text) => text.includes('only once')).length === 1, [...ids]);
  },
};

// Jobs as careless clients send them; `expects` says what is right to come back.
const deep = (levels) => `${'{"type":"array","items":'.repeat(levels)}{}${'}'.repeat(levels)}`;
const shapes = [
  ['no input, and the prompt in the content', [], 'who are you?', 'result'],
  ['junk content beside an input', [['i', 'hello', 'text']], 'This is a DVM request', 'result'],
  ['an input without its type', [['i', 'hello']], '', 'result'],
  ['an input of the type prompt', [['i', 'hello', 'prompt']], '', 'result'],
  ['malformed relays and bid', [['i', 'hello', 'text'], ['relays', 'wss://a', 'wss://b'], ['relays'], ['bid', 'much', 'more']], '', 'result'],
  ['parameters that are none', [['i', 'hello', 'text'], ['param'], ['param', 'temperature', 'NaN'], ['param', 'max_tokens', 'many'], ['param', 'top-k', '-1']], '', 'result'],
  ['parameters as one object', [['i', 'hello', 'text'], ['params', '{"temperature":0.5,"max_tokens":20}']], '', 'result'],
  ['an unknown constraint of another make', [['i', 'hello', 'text'], ['param', 'constraint', 'be nice']], '', 'result'],
  ['control characters', [['i', 'hello\u0000\u001b[2J\u202e', 'text']], '', 'result'],
  ['two addressees', [['p', '0'.repeat(64)], ['i', 'hello', 'text']], '', 'result'],
  ['sixty-four inputs', Array.from({ length: 64 }, (_, number) => ['i', `part ${number}`, 'text']), '', 'result'],
  ['nothing at all', [], '', 'error'],
  ['blanks only', [['i', '  \n ', 'text']], '', 'error'],
  ['an address to fetch', [['i', 'http://127.0.0.1:1/x', 'url']], '', 'error'],
  ['another event as input', [['i', 'ab'.repeat(32), 'event']], '', 'error'],
  ['no tokens to write', [['i', 'hello', 'text'], ['param', 'max_tokens', '0']], '', 'error'],
  ['another model', [['i', 'hello', 'text'], ['param', 'model', 'gpt-9']], '', 'error'],
  ['an input of 200,000 letters', [['i', 'x '.repeat(100_000), 'text']], '', 'error'],
  ['a content of 300,000 letters', [], 'x '.repeat(150_000), 'error'],
  ['5,000 tags', Array.from({ length: 5_000 }, () => ['t', 'x']), '', 'error'],
  ['1,025 inputs', Array.from({ length: 1_025 }, () => ['i', 'x', 'text']), '', 'error'],
  ['1,024 inputs of our dialect, each with its answer', [['frlm', '1'], ['param', 'mode', 'each'], ...Array.from({ length: 1_024 }, () => ['i', 'x', 'text'])], '', 'error'],
  ['something that is not encrypted and says so', [['encrypted']], 'not encrypted', 'error'],
  ['something encrypted to somebody else', [['encrypted']], 'nip44 to another', 'error'],
  ['an unknown mode of our dialect', [['frlm', '1'], ['i', 'x', 'text'], ['param', 'mode', 'sideways']], '', 'error'],
  ['an unknown constraint of our dialect', [['frlm', '1'], ['i', 'x', 'text'], ['param', 'constraint', '{"type":"poem","value":1}']], '', 'error'],
  ['a schema 500 levels deep', [['frlm', '1'], ['i', 'x', 'text'], ['param', 'constraint', `{"type":"json_schema","value":${deep(500)}}`]], '', 'error'],
  ['a regular expression that is none', [['i', 'x', 'text'], ['param', 'constraint', '{"type":"regex","value":"(("}']], '', 'error'],
  ['answers to validate that are none', [['i', 'x', 'text'], ['validate', 'no id']], '', 'error'],
  ['an expiration that is no time', [['i', 'hello', 'text'], ['expiration', 'tomorrow']], '', 'result'],
  ['the profile of another version', [['frlm', '99'], ['i', 'hello', 'text']], '', 'any'],
];

const malformed = {
  name: 'askers: job shapes',
  async run(s) {
    const place = await market(s, reader);
    const { asker, to } = place;
    const asked = [];
    for (const [words, tags, text, expects] of shapes) {
      const content = text === 'nip44 to another' ? asker.keys.nip44(asker.keys.hex, '[["i","x"]]') : text;
      const { event: job, refusal } = await offer(s, place, directed(place, ...tags), content);
      asked.push({ words, expects, job, refusal });
    }
    const { event: ahead, refusal: aheadRefused } = await offer(s, place, directed(place, ['i', 'hello', 'text']), '', seconds() + 86_400);
    asked.push({ words: 'a date one day ahead', expects: 'error', job: ahead, refusal: aheadRefused });
    const refused = asked.filter(({ refusal }) => refusal);
    if (refused.length > 0) s.note(`the relay takes ${asked.length - refused.length} of ${asked.length} shapes`);
    // What nobody passes on nobody answers. A relay that refuses most of them shows nothing.
    s.check('the relay takes most of them', refused.length < asked.length / 3, refused.map(({ words, refusal }) => `${words}: ${refusal}`));
    for (const { words, expects, job } of asked.filter(({ refusal }) => !refusal)) {
      const event = await asker.answer(job.id, isLast, 20);
      const came = event === null ? 'nothing' : event.kind === 6050 ? 'result' : 'error';
      s.check(`${words}: ${expects === 'any' ? 'an answer' : expects}`, came === expects || (expects === 'any' && came !== 'nothing'), shown(event));
    }
    const all = asked.flatMap(({ job }) => asker.about(job.id));
    s.check('all of it is signed by the provider', all.every(({ pubkey }) => pubkey === to));
    s.check('every refusal says why', all.filter((event) => event.kind === 7000 && isLast(event)).every((event) => status(event)?.length > 'error '.length), all.map(status));
    const last = await send(place, directed(place, ['i', 'still there?', 'text']));
    const event = await asker.answer(last.id, isLast);
    s.check('after all that the provider works', event?.content === 'you said: still there?', shown(event));
  },
};

const otherKinds = {
  name: 'askers: other kinds',
  async run(s) {
    const place = await market(s, reader);
    const { asker } = place;
    const of = async (kind) => {
      const job = asker.keys.sign(kind, directed(place, ['i', 'hello', 'text']));
      await asker.publish(job);
      return job;
    };
    const jobs = { 5000: await of(5000), 5001: await of(5001), 5002: await of(5002), 5999: await of(5999) };
    const known = await of(5050);
    s.check('kind 5050 is answered beside them', (await asker.answer(known.id))?.kind === 6050);
    const about = asker.about(jobs[5999].id);
    s.check('kind 5999 gets no success', !about.some((event) => isResult(event) || status(event)?.startsWith('success')), about.map(shown));
    for (const kind of [5000, 5001, 5002]) {
      const event = await asker.answer(jobs[kind].id, () => true, 3);
      s.check(`kind ${kind} gets an answer`, event, shown(event));
    }
  },
};

const brokenEngine = {
  name: 'askers: an engine that fails',
  async run(s) {
    const place = await market(s, (prompt) => (prompt.includes('break') ? null : prompt.includes('silence') ? '' : 'fine'));
    const { asker } = place;
    for (const [words, prompt] of [['an engine that fails', 'break'], ['an engine that says nothing', 'silence']]) {
      const job = await send(place, directed(place, ['i', prompt, 'text']));
      const event = await asker.answer(job.id, isLast, 45);
      s.check(`${words} is told as an error`, event?.kind === 7000, shown(event));
      s.check(`${words} is no success`, !asker.about(job.id).some((event) => isResult(event) || status(event)?.startsWith('success')), shown(event));
    }
    const job = await send(place, directed(place, ['i', 'once more', 'text']));
    s.check('the next job is done', (await asker.answer(job.id))?.content === 'fine');
  },
};

const embedded = {
  name: 'askers: the embedded model',
  async run(s) {
    const place = await market(s, null, ['--open-jobs']);
    const { asker } = place;
    const question = await send(place, directed(place, ['i', 'What is the capital of France?', 'text']));
    const refusal = await asker.answer(question.id);
    s.check('what it cannot do is refused as unsupported', refusal?.kind === 7000 && tagOf(refusal, 'reason')?.[0] === 'unsupported', shown(refusal));
    const open = await send(place, [['i', 'What is the capital of France?', 'text']]);
    const copy = await send(place, directed(place, ['i', '0001 order 4001 by user1 amount 3 shipped', 'text'], ['param', 'instruction', 'copy status']));
    const copied = await asker.answer(copy.id);
    s.check('what it can do is done for askers of another make, too', copied?.kind === 6050 && copied.content.trim() === 'shipped', shown(copied));
    // The copy came later and is done: the open job had its turn.
    s.check('an open question gets no success', !asker.about(open.id).some((event) => isResult(event) || status(event)?.startsWith('success')), asker.about(open.id).map(shown));
  },
};

const operatorsLog = {
  name: 'askers: the operator\'s log',
  async run(s) {
    const place = await market(s, reader);
    const { asker, provider } = place;
    const forged = '\nonline at ws://evil.example\r\nserved 1 job';
    for (const tags of [
      [['i', forged, 'text'], ['param', 'model', forged]],
      [['frlm', '1'], ['i', 'x', 'text'], ['param', 'mode', forged]],
      [['frlm', forged], ['i', 'x', 'text'], ['param', 'constraint', `{"type":"${forged}"}`]],
      [['i', 'x', 'text'], ['validate', forged, forged]],
    ]) {
      const job = await send(place, directed(place, ...tags));
      await asker.answer(job.id);
    }
    const lines = provider.lines.filter((line) => /^\s*(online at ws:\/\/evil|served 1 job)/.test(line));
    s.check('a stranger\'s text makes no line of its own', lines.length === 0, lines);
  },
};

export const scenarios = [wellFormed, malformed, otherKinds, brokenEngine, embedded, operatorsLog];
