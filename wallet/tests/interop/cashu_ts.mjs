// A wallet on cashu-ts, through its public API alone, for the tests in `cashu/tests/foreign.rs`. Its proofs lie in a file.
//
//   fund SATS                                      invoices of a mint with fake Lightning are paid by themselves
//   send SATS                                      prints a token
//   receive TOKEN [KEY]                            signs what is locked, and prints what arrived
//   lock SATS KEY COSIGN LOCKTIME REFUND [sign]    2-of-2: a public key, and a secret one that signs where it says so
//
// FRLM_TEST_CASHU_TS: the folder in which the library is installed. FRLM_TEST_PEER_STATE: where the proofs are kept.
// FRLM_TEST_PEER_MINT: the mint.

import { readFileSync, writeFileSync, existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { join } from 'node:path';

const folder = process.env.FRLM_TEST_CASHU_TS;
const entry = createRequire(join(folder, 'x.js')).resolve('@cashu/cashu-ts');
const cashu = await import(pathToFileURL(entry).href);
const mint = process.env.FRLM_TEST_PEER_MINT;
const file = join(process.env.FRLM_TEST_PEER_STATE, 'cashu-ts.json');

const wallet = new cashu.Wallet(mint, { unit: 'sat' });
await wallet.loadMint();

// Through tokens: they hold all that a proof is, and nothing that JSON cannot.
const load = () => (existsSync(file) ? wallet.decodeToken(readFileSync(file, 'utf8')).proofs : []);
const save = (proofs) => writeFileSync(file, encode(proofs));
const encode = (proofs) => cashu.getEncodedToken({ mint, proofs, unit: 'sat' });
const sum = (proofs) => cashu.sumProofs(proofs).toString();
const publicKey = (secret) => Buffer.from(cashu.getPubKeyFromPrivKey(Buffer.from(secret, 'hex'))).toString('hex');

const [command, ...rest] = process.argv.slice(2);
if (command === 'fund') {
  const sats = Number(rest[0]);
  const quote = await wallet.createMintQuoteBolt11(sats);
  for (let looks = 0; (await wallet.checkMintQuoteBolt11(quote.quote)).state !== 'PAID'; looks += 1) {
    if (looks > 100) throw new Error('the fake Lightning pays nothing');
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  const proofs = await wallet.mintProofsBolt11(sats, quote.quote);
  save([...load(), ...proofs]);
  console.log(sum(proofs));
} else if (command === 'send') {
  const { keep, send } = await wallet.ops.send(Number(rest[0]), load()).includeFees(true).run();
  save(keep);
  console.log(encode(send));
} else if (command === 'receive') {
  const builder = wallet.ops.receive(rest[0]);
  const proofs = await (rest[1] ? builder.privkey(rest[1]) : builder).run();
  save([...load(), ...proofs]);
  console.log(sum(proofs));
} else if (command === 'lock') {
  const [sats, key, cosign, locktime, refund, sign] = rest;
  const options = {
    pubkey: [key, publicKey(cosign)],
    requiredSignatures: 2,
    locktime: Number(locktime),
    refundKeys: [refund],
  };
  const { keep, send } = await wallet.ops.send(Number(sats), load()).asP2PK(options).includeFees(true).run();
  save(keep);
  console.log(encode(sign ? cashu.signP2PKProofs(send, cosign) : send));
} else {
  throw new Error(`there is no command ${command}`);
}
