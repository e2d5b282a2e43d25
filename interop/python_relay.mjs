// `nostr-relay` from Python, as run.sh installs it, with its own defaults.

import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { freePort, freshHome, Program, writeDocument } from './lib.mjs';

const PROGRAM = fileURLToPath(new URL('.venv/bin/nostr-relay', import.meta.url));

export const isInstalled = () => existsSync(PROGRAM);

export async function startPythonRelay(s) {
  const port = await freePort();
  const database = `${freshHome()}.sqlite3`;
  const config = writeDocument(`python-relay-${port}.yaml`, `storage:
  sqlalchemy.url: sqlite+aiosqlite:///${database}
  validators:
    - nostr_relay.validators.is_not_too_large
    - nostr_relay.validators.is_signed
    - nostr_relay.validators.is_recent
    - nostr_relay.validators.is_not_hellthread
gunicorn:
  bind: 127.0.0.1:${port}
  workers: 1
  loglevel: info
`);
  const program = s.uses(new Program(PROGRAM, ['-c', config, 'serve'], { env: {} }));
  await program.line(/Listening at|Application startup complete/, 60);
  program.url = `ws://127.0.0.1:${port}`;
  return program;
}
