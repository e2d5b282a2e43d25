// Relays over which the scenarios of askers and providers are played again in the full size: the program's own relay in
// each of its profiles, and relays of another make.

import { CoreRelay } from './core_relay.mjs';
import { isBuilt, startNostrRsRelay } from './nostr_rs_relay.mjs';
import { isInstalled, startPythonRelay } from './python_relay.mjs';

export const EMBEDDED = ['strfry', 'nostream', 'nostr-rs-relay', 'rnostr', 'python-nostr-relay', 'auth'];

// What is not there fails the scenario, with what to do.
const present = (s, is, script) => s.check(`the relay is there (${script})`, is());

const embedded = (like) => ({ name: `frlm relay --like ${like}`, start: (s) => s.relay(like), authenticates: like === 'auth' });

export const PLACES = [
  ...EMBEDDED.map(embedded),
  { name: '@nostr-relay/core', start: async (s) => s.uses(await CoreRelay.start()) },
  { name: 'nostr-relay of Python', start: (s) => (present(s, isInstalled, 'python_relay.sh'), startPythonRelay(s)) },
  { name: 'nostr-rs-relay', start: (s) => (present(s, isBuilt, 'nostr_rs_relay.sh'), startNostrRsRelay(s)) },
];

// These scenarios over each of them.
export const everywhere = (scenarios) =>
  PLACES.flatMap((place) => scenarios.map((scenario) => ({ ...scenario, full: true, place, name: `${scenario.name} over ${place.name}` })));
