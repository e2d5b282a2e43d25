// Checks the test vectors of docs/protocol.md (section 18) with nostr-tools and the code of provider.mjs.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { getPublicKey, verifyEvent } from 'nostr-tools/pure'
import * as nip44 from 'nostr-tools/nip44'
// nostr-tools brings it, in the version of package-lock.json.
import { xchacha20poly1305 } from '@noble/ciphers/chacha.js'
import { Refusal, answer, promptsOf, readJob, templates } from './provider.mjs'

const fromHex = (hex) => Uint8Array.from(Buffer.from(hex, 'hex'))
const OFFER = { name: 'a stranger', model: 'copier', dialect: 'records', context_tokens: 8192 }

// [13] Each text is preceded by its length.
function digestOf(tags) {
  const param = (name) => tags.find(([key, named]) => key === 'param' && named === name)?.[2]
  const inputs = tags.filter(([name]) => name === 'i').map(([, text]) => text)
  const answers = JSON.parse(tags.find(([name]) => name === 'validate')[2])
  const counts = [String(inputs.length), String(answers.length)]
  const hash = createHash('sha256')
  for (const text of ['frlm attestation 1', param('instruction') ?? '', param('mode') ?? 'together', ...counts, ...inputs, ...answers]) {
    const length = Buffer.alloc(8)
    length.writeBigUInt64BE(BigInt(Buffer.byteLength(text)))
    hash.update(length).update(text)
  }
  return hash.digest('hex')
}

export async function check(vectors) {
  const { now, keys, events } = vectors
  const named = (name) => events.find((one) => one.name === name)
  const plaintextOf = (name) => JSON.parse(named(name).plaintext)
  const secret = fromHex(keys.provider.secret)

  for (const { secret: hex, public: key } of Object.values(keys)) assert.equal(getPublicKey(fromHex(hex)), key)
  const conversation = nip44.getConversationKey(secret, keys.asker.public)
  assert.equal(Buffer.from(conversation).toString('hex'), vectors.conversation_key)

  for (const { name, from, to, event, plaintext } of events) {
    assert(verifyEvent(event), `${name}: id and signature`)
    assert.equal(event.pubkey, keys[from].public, name)
    if (plaintext === null) continue
    const key = nip44.getConversationKey(fromHex(keys[to].secret), keys[from].public)
    assert.equal(nip44.decrypt(event.content, key), plaintext, name)
    const nonce = Uint8Array.from(Buffer.from(event.content, 'base64').subarray(1, 33))
    assert.equal(nip44.encrypt(plaintext, key, nonce), event.content, name)
  }

  for (const { instruction, inputs, mode, prompts } of vectors.prompts) assert.deepEqual(promptsOf(instruction, inputs, mode), prompts)
  assert.equal(digestOf(plaintextOf('validation')), vectors.digest)
  assert.equal(plaintextOf('attestation').attestation.digest, vectors.digest)

  // [6] The texts of the job as a blob.
  const { key, nonce, plaintext, sha256, size } = vectors.blob
  const padded = Buffer.alloc(Math.ceil(Buffer.byteLength(plaintext) / 4096) * 4096, ' ')
  padded.write(plaintext)
  const blob = Buffer.concat([fromHex(nonce), xchacha20poly1305(fromHex(key), fromHex(nonce)).encrypt(padded)])
  assert.deepEqual([createHash('sha256').update(blob).digest('hex'), blob.length], [sha256, size])
  const beside = plaintextOf('job beside a blob')
  assert.deepEqual(beside.find(([name]) => name === 'blob').slice(1, 4), [sha256, String(size), key])
  const whole = [...beside.filter(([name]) => name !== 'blob'), ...JSON.parse(plaintext)]
  const sorted = (tags) => tags.map((tag) => JSON.stringify(tag)).sort()
  assert.deepEqual(sorted(whole), sorted(plaintextOf('job')))

  // The provider answers the job as the recorded result does.
  const job = readJob(named('job').event, secret, OFFER, now)
  assert.deepEqual([job.asker, job.maxTokens, job.expiration], [keys.asker.public, 110, now + 30])
  const result = await answer(job, { name: 'copier' })
  const recorded = plaintextOf('result')
  assert.deepEqual([result.answers, result.model], [recorded.answers, recorded.model])
  const sent = templates.result(job, result, secret, now + 2)
  assert.deepEqual([sent.kind, sent.tags], [6050, named('result').event.tags])
  assert.deepEqual(JSON.parse(nip44.decrypt(sent.content, conversation)), result)

  // What it says of itself and of jobs has the recorded shape.
  const offer = JSON.parse(named('announcement').event.content)
  const announced = templates.announcement({ ...offer.frlm, name: offer.name, version: undefined }, now, now + 3600)
  assert.deepEqual(announced.tags, named('announcement').event.tags)
  assert.deepEqual(JSON.parse(announced.content), offer)
  assert.deepEqual(templates.heartbeat(3, now, now + 60).tags, named('heartbeat').event.tags)
  const busy = new Refusal('busy', '64 jobs wait; come back later', 12)
  assert.deepEqual(templates.refusal(job.id, job.asker, busy, now).tags, named('busy').event.tags)

  // Work is as NIP-13 counts it, and asked for in a tag; a key that is followed or recommended stands in p tags.
  const { id, tags: worked } = named('open job with work').event
  const bits = Number(worked.find(([name]) => name === 'nonce')[2])
  assert(bits > 0 && BigInt(`0x${id}`) >> BigInt(256 - bits) === 0n)
  assert.deepEqual(named('busy, and work is asked for').event.tags.at(-1), ['pow', '16'])
  for (const name of ['follow list', 'label']) assert.deepEqual(named(name).event.tags.at(-1), ['p', keys.provider.public])

  for (const { name, event, reason } of vectors.refused) {
    assert(verifyEvent(event), name)
    assert.throws(() => readJob(event, secret, OFFER, now), (error) => error instanceof Refusal && error.reason === reason, name)
  }
  console.log(`${events.length} events, ${vectors.prompts.length} prompts and ${vectors.refused.length} refusals hold`)
}
