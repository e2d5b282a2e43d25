// A Nostr client of another make: keys, signatures, encryption and connections are those of nostr-tools.

import { AbstractRelay } from 'nostr-tools/abstract-relay';
import * as nip04 from 'nostr-tools/nip04';
import { npubEncode, decode } from 'nostr-tools/nip19';
import * as nip44 from 'nostr-tools/nip44';
import { finalizeEvent, generateSecretKey, getPublicKey, setNostrWasm, verifyEvent } from 'nostr-tools/wasm';
import { initNostrWasm } from 'nostr-wasm';
import WebSocket from 'ws';
import { after, Trouble, within } from './lib.mjs';

setNostrWasm(await initNostrWasm());

export const seconds = () => Math.floor(Date.now() / 1000);
export const hexOf = (npub) => decode(npub).data;
export const tagOf = (event, name) => event.tags.find(([first]) => first === name)?.slice(1);

export class Keys {
  constructor() {
    this.secret = generateSecretKey();
    this.hex = getPublicKey(this.secret);
    this.npub = npubEncode(this.hex);
  }

  sign(kind, tags = [], content = '', createdAt = seconds()) {
    return finalizeEvent({ kind, tags, content, created_at: createdAt }, this.secret);
  }

  nip44(other, text) {
    return nip44.encrypt(text, nip44.getConversationKey(this.secret, other));
  }

  openNip44(other, text) {
    return nip44.decrypt(text, nip44.getConversationKey(this.secret, other));
  }

  nip04(other, text) {
    return nip04.encrypt(this.secret, other, text);
  }

  openNip04(other, text) {
    return nip04.decrypt(this.secret, other, text);
  }
}

// A connection that keeps what it hears, by the job that it is about.
export class Client {
  static async connect(s, url, keys = new Keys()) {
    const client = new Client(url, keys);
    client.relay.onauth = async (event) => finalizeEvent(event, keys.secret);
    await client.relay.connect();
    s.uses(client);
    if (s.place?.authenticates) await within(10, client.#authenticated());
    return client;
  }

  constructor(url, keys) {
    this.keys = keys;
    this.heard = new Map();
    this.waiting = new Set();
    this.relay = new AbstractRelay(url, { verifyEvent, websocketImplementation: WebSocket });
    this.relay.publishTimeout = 60_000;
    this.relay.onnotice = () => {};
  }

  // The relay says at once that it wants a key.
  async #authenticated() {
    while (!this.relay.authPromise) await after(0.02);
    await this.relay.authPromise;
  }

  stop() {
    this.relay.close();
  }

  // Hears events about jobs that are addressed to these keys; resolves once what the relay has was sent.
  listen(keys = [this.keys]) {
    return this.subscribe({ kinds: [6050, 7000], '#p': keys.map(({ hex }) => hex), since: seconds() - 120 }, (event) => {
      const job = tagOf(event, 'e')?.[0];
      this.heard.set(job, [...this.about(job), event]);
      for (const waiter of [...this.waiting]) waiter(event);
    });
  }

  subscribe(filter, onevent) {
    return new Promise((resolve) => {
      this.relay.subscribe([filter], { onevent, oneose: resolve, onclose: resolve });
    });
  }

  // Resolves with the relay's yes; rejects with its words.
  publish(event) {
    return this.relay.publish(event);
  }

  // Puts events on the wire at once, without waiting for any answer.
  flood(events) {
    for (const event of events) this.relay.send(JSON.stringify(['EVENT', event]));
  }

  about(job) {
    return this.heard.get(job) ?? [];
  }

  // The first event about a job for which `wanted` holds, or null.
  async answer(job, wanted = isLast, patience = 30) {
    const here = this.about(job).find(wanted);
    if (here) return here;
    let waiter;
    const event = new Promise((resolve) => {
      waiter = (event) => tagOf(event, 'e')?.[0] === job && wanted(event) && resolve(event);
      this.waiting.add(waiter);
    });
    const found = await within(patience, event);
    this.waiting.delete(waiter);
    return found;
  }
}

// Whether nothing more comes about a job: its result, or feedback that gives it up.
export const isLast = (event) => event.kind === 6050 || tagOf(event, 'status')?.[0] === 'error';
export const isResult = (event) => event.kind === 6050;

// Reads the content of what came back, whichever way it is encrypted.
export async function opened(keys, event) {
  if (!tagOf(event, 'encrypted')) return { scheme: 'plain', text: event.content };
  const nip04 = event.content.includes('?iv=');
  try {
    const text = nip04 ? await keys.openNip04(event.pubkey, event.content) : keys.openNip44(event.pubkey, event.content);
    return { scheme: nip04 ? 'NIP-04' : 'NIP-44', text };
  } catch (error) {
    throw new Trouble(`what came back cannot be decrypted: ${error.message}`);
  }
}

// Resolves to true once a relay passes on a sign of life of a provider. Shows a key where the relay wants one.
export async function seenAt(url, provider) {
  const probe = new Client(url, new Keys());
  probe.relay.onauth = async (event) => finalizeEvent(event, probe.keys.secret);
  await probe.relay.connect();
  const seen = await new Promise((resolve) => {
    // Again where the relay ends the subscription, or wants a key that is on its way.
    const ask = () => {
      if (!probe.relay.connected) return;
      probe.relay.subscribe([{ kinds: [31990, 31991], authors: [provider] }], { onevent: () => resolve(true), onclose: () => setTimeout(ask, 100) });
    };
    ask();
  });
  probe.stop();
  return seen;
}
