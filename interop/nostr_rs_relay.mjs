// `nostr-rs-relay`, as nostr_rs_relay.sh builds it, with its own defaults.

import { existsSync, mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { freePort, freshHome, Program, reachable, writeDocument } from './lib.mjs';

const PROGRAM = fileURLToPath(new URL('.nostr-rs-relay/bin/nostr-rs-relay', import.meta.url));

export const isBuilt = () => existsSync(PROGRAM);

// `limits`: lines of its `[limits]`.
export async function startNostrRsRelay(s, limits = '') {
  const port = await freePort();
  const data = freshHome();
  mkdirSync(data, { recursive: true });
  const config = writeDocument(`nostr-rs-relay-${port}.toml`, `[info]
relay_url = "ws://127.0.0.1:${port}/"
[database]
data_directory = "${data}"
[network]
address = "127.0.0.1"
port = ${port}
[limits]
${limits}
`);
  const program = s.uses(new Program(PROGRAM, ['--config', config], { env: { RUST_LOG: 'warn' } }));
  // It says that it listens before it does.
  await reachable(program, port);
  program.url = `ws://127.0.0.1:${port}`;
  return program;
}
