// A relay that behaves as badly as its profile says (profiles.mjs). It shares no code with ours and checks no signature:
// what it passes on is for others to judge.
//
// usage: node hostile_relay.mjs PROFILE [PORT]; prints its address

import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { WebSocketServer } from 'ws';
import { after } from './lib.mjs';
import { PROFILES } from './profiles.mjs';
import { isEphemeral, matches, Store } from './store.mjs';

const now = () => Math.floor(Date.now() / 1000);

export class HostileRelay {
  // Starts one on a free port. `profile` is a name of the table or an object like those in it.
  static async start(profile, port = 0) {
    const relay = new HostileRelay(typeof profile === 'string' ? PROFILES[profile] : profile);
    await new Promise((resolve) => relay.http.listen(port, '127.0.0.1', resolve));
    relay.url = `ws://127.0.0.1:${relay.http.address().port}`;
    return relay;
  }

  constructor(profile) {
    this.profile = profile;
    this.store = new Store();
    this.clients = new Set();
    // What was offered, by kind; who showed its key; where the lot stands by which events are dropped.
    this.offered = new Map();
    this.authenticated = new Set();
    this.lot = 1;
    this.http = createServer((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/nostr+json' });
      response.end(JSON.stringify(this.#document()));
    });
    this.sockets = new WebSocketServer({ server: this.http });
    this.sockets.on('connection', (socket) => this.clients.add(new Client(this, socket)));
  }

  #document() {
    const { frameBytes, subscriptions, limit, auth } = this.profile;
    return { name: 'hostile', supported_nips: [1, 11, 42], limitation: { max_message_length: frameBytes, max_subscriptions: subscriptions, max_limit: limit, auth_required: Boolean(auth) } };
  }

  count(kind) {
    return this.offered.get(kind) ?? 0;
  }

  events(kind) {
    return this.store.events.filter((event) => event.kind === kind);
  }

  // Whether an event goes to nobody, with a friendly word.
  // Strictly every second one would hit the same half of a peer that sends two in turn, each time.
  drops() {
    if (this.profile.dropsEvery === undefined) return false;
    this.lot = (Math.imul(this.lot, 1_103_515_245) + 12_345) & 0x7fffffff;
    return (this.lot >>> 16) % this.profile.dropsEvery === 0;
  }

  pass(event) {
    let heard = 0;
    for (const client of this.clients) heard += client.hear(event);
    return heard;
  }

  async stop() {
    for (const client of this.clients) client.socket.terminate();
    this.sockets.close();
    await new Promise((resolve) => this.http.close(resolve));
  }
}

class Client {
  constructor(relay, socket) {
    Object.assign(this, { relay, socket, profile: relay.profile, filters: new Map(), taken: [], ephemeral: [], keys: new Set(), stopped: 0 });
    this.turn = Promise.resolve();
    this.sending = Promise.resolve();
    this.challenge = randomBytes(16).toString('hex');
    socket.on('message', (data) => this.#queue(data));
    socket.on('close', () => relay.clients.delete(this));
    socket.on('error', () => {});
    if (this.profile.auth || this.profile.authToRead) this.say('AUTH', this.challenge);
  }

  say(...message) {
    this.socket.send(JSON.stringify(message));
  }

  #queue(data) {
    const { delaySeconds } = this.profile;
    if (!delaySeconds) return this.#take(data);
    this.turn = this.turn.then(() => new Promise((resolve) => setTimeout(resolve, delaySeconds * 1000))).then(() => this.#take(data));
    return undefined;
  }

  #take(data) {
    if (data.length > (this.profile.frameBytes ?? Infinity)) return this.say('NOTICE', 'error: message too large');
    let message;
    try {
      message = JSON.parse(data);
    } catch {
      return this.say('NOTICE', 'error: bad JSON');
    }
    const [verb, ...rest] = message;
    if (verb === 'EVENT') return this.#event(rest[0]);
    if (verb === 'REQ') return this.#subscribe(rest[0], rest.slice(1));
    if (verb === 'CLOSE') return this.filters.delete(rest[0]);
    if (verb === 'AUTH') return this.#authenticate(rest[0]);
    return this.say('NOTICE', `error: unknown message ${verb}`);
  }

  #authenticate(event) {
    const challenge = event.tags.find(([name]) => name === 'challenge')?.[1];
    const good = event.kind === 22242 && challenge === this.challenge;
    if (good) {
      this.keys.add(event.pubkey);
      this.relay.authenticated.add(event.pubkey);
    }
    this.say('OK', event.id, good, good ? '' : 'invalid: another challenge');
  }

  // Why an event is not taken, or undefined.
  #refusal(event) {
    const { auth, eventBytes, contentChars, tagBytes, refusedKinds, oldestEphemeral } = this.profile;
    if (auth && this.keys.size === 0) return 'auth-required: show your key first';
    if (JSON.stringify(event).length > (eventBytes ?? Infinity)) return `invalid: event larger than ${eventBytes} bytes`;
    if (event.content.length > (contentChars ?? Infinity)) return `invalid: content larger than ${contentChars} characters`;
    const large = event.tags.some(([name, value]) => name?.length === 1 && value?.length > (tagBytes ?? Infinity));
    if (large) return `invalid: tag value larger than ${tagBytes} bytes`;
    if (refusedKinds?.includes(event.kind)) return `blocked: kind ${event.kind} is not wanted here`;
    if (oldestEphemeral && isEphemeral(event.kind) && event.created_at < now() - oldestEphemeral) return 'invalid: ephemeral event expired';
    return this.#short(event);
  }

  #short(event) {
    const { perMinute, perHour, ephemeralPerMinute } = this.profile;
    for (const [taken, most, seconds, words] of [
      [this.taken, perMinute, 60, 'events a minute'],
      [this.taken, perHour, 3_600, 'events an hour'],
      [this.ephemeral, isEphemeral(event.kind) ? ephemeralPerMinute : undefined, 60, 'ephemeral events a minute'],
    ]) {
      if (most === undefined) continue;
      const since = Date.now() - seconds * 1000;
      if (taken.filter((at) => at > since).length >= most) return `rate-limited: ${most} ${words}`;
    }
    this.taken.push(Date.now());
    if (isEphemeral(event.kind)) this.ephemeral.push(Date.now());
    return undefined;
  }

  #event(event) {
    const { relay, profile } = this;
    relay.offered.set(event.kind, relay.count(event.kind) + 1);
    const refusal = this.#refusal(event);
    if (refusal) return this.say('OK', profile.emptyOk ? '' : event.id, false, refusal);
    if (relay.drops()) return this.say('OK', event.id, true, '');
    if (!relay.store.keep(event)) return this.say('OK', event.id, true, 'duplicate: have it');
    const heard = relay.pass(event);
    if (profile.mutes && isEphemeral(event.kind) && heard === 0) return this.say('OK', event.id, false, 'mute: nobody listens');
    if (profile.lies) this.say('OK', randomBytes(32).toString('hex'), false, 'blocked: an event of somebody else');
    return this.say('OK', event.id, true, '');
  }

  #subscribe(name, filters) {
    const { auth, authToRead, subscriptions, tagFilters, sendSeconds } = this.profile;
    const closed = (words) => this.say('CLOSED', name, words);
    const reads = authToRead && filters.some(({ kinds }) => kinds?.some((kind) => authToRead.includes(kind)));
    if ((auth || reads) && this.keys.size === 0) return closed('auth-required: show your key first');
    if (!this.filters.has(name) && this.filters.size >= (subscriptions ?? Infinity)) return closed(`error: too many subscriptions, ${subscriptions} at most`);
    const most = Math.max(...filters.map((filter) => Object.keys(filter).filter((key) => key.startsWith('#')).length));
    if (most > (tagFilters ?? Infinity)) return closed(`error: too many tags in filter, ${tagFilters} at most`);
    this.filters.set(name, filters);
    const found = filters.flatMap((filter) => this.relay.store.find(filter, this.profile.limit));
    if (!sendSeconds) return this.#answer(name, found);
    // One subscription after the other.
    this.sending = this.sending.then(async () => {
      for (const event of found) {
        await after(sendSeconds);
        if (this.socket.readyState === this.socket.OPEN) this.say('EVENT', name, event);
      }
      this.#answer(name, []);
    });
    return undefined;
  }

  // Sends what is stored, and says that this is all.
  #answer(name, found) {
    const { stops, eoseMore } = this.profile;
    const closed = (words) => this.say('CLOSED', name, words);
    for (const event of found) this.say('EVENT', name, event);
    if (eoseMore) this.say('EOSE', name, 'more');
    else this.say('EOSE', name);
    if (this.stopped < (stops ?? 0)) {
      this.stopped += 1;
      this.filters.delete(name);
      this.say('NOTICE', 'this relay is being tidied up');
      closed('error: this subscription took too long');
    }
    return undefined;
  }

  // Passes an event on to the subscriptions that want it; whether there is one.
  hear(event) {
    let heard = 0;
    for (const [name, filters] of this.filters) {
      if (!filters.some((filter) => matches(filter, event))) continue;
      heard = 1;
      if (this.profile.lies) this.#lie(name, event);
      this.say('EVENT', name, event);
    }
    return heard;
  }

  // Before the event itself, so that a reader who believes anything believes this first.
  #lie(name, event) {
    const flipped = (event.sig[0] === '0' ? '1' : '0') + event.sig.slice(1);
    this.say('EVENT', name, { ...event, sig: flipped });
    this.say('EVENT', name, { ...event, content: 'shipped' });
    this.say('EVENT', name, { ...event, id: randomBytes(32).toString('hex') });
    this.say('EVENT', name, { ...event, pubkey: randomBytes(32).toString('hex') });
    this.say('EVENT', 'a subscription of somebody else', event);
    this.say('EOSE', 'a subscription of somebody else');
    this.say('CLOSED', 'a subscription of somebody else', 'error: gone');
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [profile, port = '0'] = process.argv.slice(2);
  if (!PROFILES[profile]) {
    console.error(`usage: node hostile_relay.mjs PROFILE [PORT]; profiles: ${Object.keys(PROFILES).join(', ')}`);
    process.exit(2);
  }
  const relay = await HostileRelay.start(profile, Number(port));
  console.log(relay.url);
}
