// Relays of another make, as they are.

import { CoreRelay } from '../core_relay.mjs';
import { orders } from '../lib.mjs';
import { isInstalled, startPythonRelay } from '../python_relay.mjs';

const document = orders(16 * 20);

async function answers(s, relay) {
  await s.providers(2, relay.url);
  s.checkAnswer('a run has its whole answer', await s.ask(relay.url, document), document);
}

const core = {
  name: '@nostr-relay/core',
  async run(s) {
    const relay = s.uses(await CoreRelay.start());
    await answers(s, relay);
  },
};

const python = {
  name: 'nostr-relay of Python',
  full: true,
  async run(s) {
    if (!s.check('it is installed (python_relay.sh)', isInstalled())) return;
    const relay = await startPythonRelay(s);
    await answers(s, relay);
    const large = orders(512);
    const run = await s.ask(relay.url, large, ['--fragment-lines', '256', '--timeout', '40']);
    s.check('a run whose jobs are too large has its answer, or reads why not', run.code === 0 || /large/.test(s.said(run)), s.said(run).slice(-400));
    s.checkNothingWrong('and says nothing wrong', run, large);
  },
};

export const scenarios = [core, python];
