// `@nostr-relay/core` behind a socket, with a store in memory: a relay of another make, in this process.

import { EventRepository } from '@nostr-relay/common';
import { NostrRelay } from '@nostr-relay/core';
import { WebSocketServer } from 'ws';
import { Store } from './store.mjs';

class Repository extends EventRepository {
  #store = new Store();

  isSearchSupported() {
    return false;
  }

  upsert(event) {
    return { isDuplicate: !this.#store.keep(event) };
  }

  find(filter) {
    // Its filters name tags without the mark.
    const { genericTagsCollection = [], ...rest } = filter;
    const tags = Object.fromEntries(genericTagsCollection.map(([name, values]) => [`#${name}`, values]));
    return this.#store.find({ ...rest, ...tags });
  }

  async destroy() {}
}

export class CoreRelay {
  static async start() {
    const relay = new CoreRelay();
    relay.relay = new NostrRelay(new Repository());
    relay.sockets = new WebSocketServer({ port: 0, host: '127.0.0.1' });
    relay.sockets.on('connection', (socket) => {
      relay.relay.handleConnection(socket);
      socket.on('message', (data) => relay.relay.handleMessage(socket, JSON.parse(data)));
      socket.on('close', () => relay.relay.handleDisconnect(socket));
      socket.on('error', () => {});
    });
    await new Promise((resolve) => relay.sockets.on('listening', resolve));
    relay.url = `ws://127.0.0.1:${relay.sockets.address().port}`;
    return relay;
  }

  async stop() {
    for (const socket of this.sockets.clients) socket.terminate();
    this.sockets.close();
    await this.relay.destroy();
  }
}
