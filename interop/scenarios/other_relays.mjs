// Runs over the program's own relay with the limits of others (small), and over relays of another make, as they are.

import { orders } from '../lib.mjs';
import { PLACES } from '../places.mjs';

const document = orders(16 * 20);
const NOT_BUILT_HERE = ['nostr-relay of Python', 'nostr-rs-relay'];

const answers = (place) => ({
  name: place.name,
  place,
  full: NOT_BUILT_HERE.includes(place.name),
  async run(s, size) {
    const relay = await s.meeting();
    await s.providers(2, relay.url);
    s.checkAnswer('a run has its whole answer', await s.ask(relay.url, document), document);
    if (size !== 'full') return;
    const large = orders(512);
    const run = await s.ask(relay.url, large, ['--fragment-lines', '256', '--timeout', '40']);
    s.check('a run whose jobs are large has its answer, or reads why not', run.code === 0 || /large|characters/.test(s.said(run)), s.said(run).slice(-400));
    s.checkNothingWrong('and says nothing wrong', run, large);
  },
});

export const scenarios = PLACES.map(answers);
