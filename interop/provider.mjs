// A provider that answers for nothing, written from docs/protocol.md alone. Numbers in brackets are sections of it.
//
//   node provider.mjs --relay ws://127.0.0.1:7777 [--key HEX] [--endpoint http://HOST/v1 --model NAME] [--context TOKENS]
//   node provider.mjs --check-vectors ../protocol/tests/vectors.json
//
// Without an endpoint it announces the dialect `records` and copies fields by code; with one (OpenAI-compatible, its key in
// OPENAI_API_KEY) the dialect `json`, and the model there answers every prompt.
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { finalizeEvent, generateSecretKey, getPublicKey, verifyEvent } from 'nostr-tools/pure'
import { npubEncode } from 'nostr-tools/nip19'
import * as nip44 from 'nostr-tools/nip44'
import WebSocket from 'ws'

const [MAX_PLAINTEXT, MAX_CONTENT, MAX_TAGS, MAX_INPUTS] = [32768, 262144, 4096, 1024]
const [AHEAD_SECS, LIFETIME_SECS, HEARTBEAT_SECS, RENEW_SECS, MAX_QUEUE, KEPT_JOBS] = [120, 600, 30, 120, 64, 4096]
const now = () => Math.floor(Date.now() / 1000)
const bytes = (text) => Buffer.byteLength(text)
const tokens = (text) => Math.ceil(bytes(text) / 4)
const first = (tags, name) => tags.find(([key]) => key === name)?.[1]
const expirationOf = (event) => Number(whole(first(event.tags, 'expiration')) ?? event.created_at + LIFETIME_SECS)
const whole = (text) => (/^["' ]*(\d+)(\.0*)?["' ]*$/.exec(text ?? '') ?? [])[1]

export class Refusal extends Error {
  constructor(reason, words, retryAfter) { super(words); Object.assign(this, { reason, retryAfter }) }
}

const seal = (secret, reader, text) => nip44.encrypt(text, nip44.getConversationKey(secret, reader))
const open = (secret, writer, content) => nip44.decrypt(content, nip44.getConversationKey(secret, writer))

// [6] Prompt n has answer n.
export function promptsOf(instruction, inputs, mode) {
  const joined = (data) => (instruction && data ? `${instruction}\n${data}` : instruction || data)
  return mode === 'each' && inputs.length ? inputs.map(joined) : [joined(inputs.join('\n\n'))]
}

// [6], [7] What a job event asks for; a refusal where it cannot be done.
export function readJob(event, secret, offer, clock = now()) {
  const refuse = (words, reason = 'unsupported') => { throw new Refusal(reason, words) }
  if (bytes(event.content) > MAX_CONTENT || event.tags.length > MAX_TAGS) refuse('the job is too large', 'too-large')
  if (!event.tags.some(([name]) => name === 'encrypted')) refuse('encrypt the job to this provider')
  let tags
  try { tags = JSON.parse(open(secret, event.pubkey, event.content)) } catch { refuse('the job cannot be decrypted (NIP-44)') }
  if (!Array.isArray(tags) || !tags.every(Array.isArray)) refuse('the job is no list of tags')
  tags = tags.map((tag) => tag.map((value) => (typeof value === 'string' ? value : JSON.stringify(value))))
  if (first(tags, 'frlm') === undefined) refuse('this provider takes jobs of docs/protocol.md alone')
  if (first(tags, 'validate') !== undefined) refuse('this provider validates nothing')
  const param = (name) => tags.find(([key, named]) => key === 'param' && named === name)?.[2]
  const inputs = tags.filter(([name]) => name === 'i')
  if (tags.length > MAX_TAGS || inputs.length > MAX_INPUTS) refuse('the job has too many tags or inputs', 'too-large')
  if (inputs.some(([, , type]) => ['url', 'event', 'job'].includes(type))) refuse('this provider reads text inputs only')
  const [mode, instruction] = [param('mode') ?? 'together', param('instruction') ?? '']
  if (!['each', 'together'].includes(mode)) refuse('the mode is unknown')
  const prompts = promptsOf(instruction, inputs.map(([, text]) => text), mode)
  if (!prompts.join('').trim()) refuse('the job has neither an instruction nor an input')
  if (event.created_at > clock + AHEAD_SECS) refuse('the job is dated ahead of this provider\'s clock')
  if (offer.dialect === 'records' && !instruction.startsWith('copy ')) refuse('this provider copies fields and nothing else')
  const maxTokens = Number(whole(param('max_tokens')) ?? 512)
  if (!maxTokens) refuse('max_tokens is 0')
  if (param('model') && param('model').toLowerCase() !== offer.model.toLowerCase()) refuse(`it runs ${offer.model}`, 'wrong-model')
  const largest = Math.max(...prompts.map(tokens)) + maxTokens
  if (largest > offer.context_tokens) refuse(`prompt and answer exceed ${offer.context_tokens} tokens`, 'too-large')
  const [schema, temperature] = [schemaOf(param('constraint'), first(tags, 'output')), Number(param('temperature') ?? 0)]
  return { id: event.id, asker: event.pubkey, prompts, maxTokens, schema, temperature, expiration: expirationOf(event) }
}

// [6] Schemas of these words are checked; what cannot be checked is refused.
const SCHEMA_WORDS = ['type', 'properties', 'required', 'additionalProperties', 'items', 'enum', 'minItems', 'maxItems',
  'minLength', 'maxLength', 'minimum', 'maximum']
function schemaOf(constraint, output) {
  if (constraint === undefined) return output === 'application/json' ? {} : undefined
  const known = (schema) => Object.keys(schema).every((word) => SCHEMA_WORDS.includes(word))
    && Object.values(schema.properties ?? {}).concat(schema.items ?? []).every(known)
  try {
    const { type, value } = JSON.parse(constraint)
    if (type === 'json_schema' && known(value)) return value
  } catch { /* it is refused below */ }
  throw new Refusal('unsupported', 'the constraint is none that this provider can check')
}

function satisfies(schema, value) {
  const kind = value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value
  const types = [schema.type ?? kind].flat().map((type) => (type === 'integer' && Number.isInteger(value) ? 'number' : type))
  const within = (size, least = -Infinity, most = Infinity) => size >= least && size <= most
  if (value === undefined || !types.includes(kind) || (schema.enum && !schema.enum.includes(value))) return false
  if (kind === 'number') return within(value, schema.minimum, schema.maximum)
  if (kind === 'string') return within([...value].length, schema.minLength, schema.maxLength)
  const eachIs = (item) => satisfies(schema.items ?? {}, item)
  if (kind === 'array') return within(value.length, schema.minItems, schema.maxItems) && value.every(eachIs)
  if (kind !== 'object') return true
  const [properties, further] = [schema.properties ?? {}, schema.additionalProperties !== false]
  return (schema.required ?? []).every((name) => Object.hasOwn(value, name))
    && Object.entries(value).every(([name, item]) => (Object.hasOwn(properties, name) ? satisfies(properties[name], item) : further))
}

// [16] One line per field, as it stands in the record; `-` where there is none.
function copyFields(prompt) {
  const [instruction, ...rest] = prompt.split('\n')
  const record = rest.join('\n')
  const pairs = [...record.matchAll(/(?<![\p{L}\p{N}_.-])([\p{L}\p{N}_.-]+)=(?:"([^"]*)"|(\S+))/gu)]
    .map(([, name, quoted, bare]) => [name, quoted ?? bare.replace(/[,;]$/, '')])
  const cells = record.split(', ').flatMap((cell) => (/^[^:]{1,40}: ./.test(cell) ? [cell.split(/: (.*)/s)] : []))
  const valueOf = (field) => [...pairs, ...cells].find(([name]) => name.toLowerCase() === field.trim().toLowerCase())?.[1]
  return instruction.slice('copy '.length).split(',').map((field) => valueOf(field) || '-').join('\n')
}

async function askEndpoint(prompt, job, model, signal) {
  const body = { model: model.name, max_tokens: job.maxTokens, temperature: job.temperature }
  body.messages = [{ role: 'user', content: prompt }]
  if (job.schema) body.response_format = { type: 'json_schema', json_schema: { name: 'answer', schema: job.schema } }
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${process.env.OPENAI_API_KEY ?? 'none'}` }
  const response = await fetch(`${model.endpoint}/chat/completions`, { method: 'POST', headers, body: JSON.stringify(body), signal })
  if (!response.ok) throw new Error(`the endpoint says ${response.status}`)
  const { choices: [choice], usage } = await response.json()
  const text = choice.message.content ?? ''
  // [7] An answer is never cut off silently.
  if (choice.finish_reason === 'length') throw new Refusal('self-check-failed', 'the answer did not end within max_tokens')
  return { text, read: usage?.prompt_tokens ?? tokens(prompt), written: usage?.completion_tokens ?? tokens(text) }
}

// [9] Every answer, checked; they go together.
export async function answer(job, model, signal) {
  const result = { answers: [], model: { name: model.name }, prompt_tokens: 0, completion_tokens: 0 }
  for (const prompt of job.prompts) {
    const byCode = (text) => ({ text, read: tokens(prompt), written: tokens(text) })
    const made = model.endpoint ? await askEndpoint(prompt, job, model, signal) : byCode(copyFields(prompt))
    let value
    try { value = job.schema && JSON.parse(made.text) } catch { /* undefined satisfies no schema */ }
    if (job.schema && !satisfies(job.schema, value)) throw new Refusal('self-check-failed', 'an answer breaks the schema')
    result.answers.push({ text: made.text })
    result.prompt_tokens += made.read
    result.completion_tokens += made.written
    if (bytes(JSON.stringify(result)) > MAX_PLAINTEXT) throw new Refusal('too-large', 'the answers fit into no result')
  }
  return result
}

// [4], [5], [8], [9]: events before they are signed.
export const templates = {
  announcement: ({ name, ...offer }, at, until) => ({
    kind: 31990, created_at: at, tags: [['d', 'frlm'], ['k', '5050'], ['expiration', String(until)]],
    content: JSON.stringify({ name, about: `Text generation with ${offer.model}`, encryptionSupported: true,
      supportsEncryption: true, cashuAccepted: false, frlm: { ...offer, version: '1' } }),
  }),
  heartbeat: (load, at, until) => ({
    kind: 31991, created_at: at, tags: [['d', 'frlm'], ['queue', String(load)], ['expiration', String(until)]], content: '',
  }),
  refusal: (job, asker, { reason, message, retryAfter }, at) => ({
    kind: 7000, created_at: at, content: '', tags: [['e', job], ['p', asker], ['status', 'error', message], ['reason', reason],
      ...(retryAfter ? [['retry-after', String(retryAfter)]] : [])],
  }),
  result: (job, result, secret, at) => ({
    kind: 6050, created_at: at, content: seal(secret, job.asker, JSON.stringify(result)),
    tags: [['e', job.id], ['p', job.asker], ['status', 'success'], ['encrypted']],
  }),
}

// One relay, connected again whenever it is lost. What is published is sent until it is taken, refused or of no use.
class Link {
  constructor(url, provider) { Object.assign(this, { url, provider, waiting: new Map(), pause: 500 }).connect() }

  connect() {
    this.socket = new WebSocket(this.url, { maxPayload: 8 << 20 })
    this.socket.on('open', () => { this.pause = 500; this.begin() })
    this.socket.on('message', (data) => { try { this.heard(JSON.parse(data)) } catch (error) { console.error(error.message) } })
    this.socket.on('error', () => {})
    this.socket.on('close', () => { setTimeout(() => this.connect(), this.pause); this.pause = Math.min(this.pause * 2, 30000) })
  }

  begin() {
    this.send('REQ', 'jobs', { kinds: [5050, 5], '#p': [this.provider.pubkey], since: now() - LIFETIME_SECS })
    for (const [id, { event, until }] of this.waiting) until > now() ? this.send('EVENT', event) : this.waiting.delete(id)
    this.provider.beat(true)
  }

  send(...message) { if (this.socket.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(message)) }
  publish(event, until) { this.waiting.set(event.id, { event, until }); this.send('EVENT', event) }

  heard([type, id, third, reason = '']) {
    if (type === 'EVENT') this.provider.heard(third)
    else if (type === 'CLOSED' && !/^auth-required/.test(third)) setTimeout(() => this.begin(), 5000)
    else if (type === 'AUTH') {
      this.auth = this.provider.sign({ kind: 22242, created_at: now(), content: '', tags: [['relay', this.url], ['challenge', id]] })
      this.send('AUTH', this.auth)
    } else if (type === 'OK' && id === this.auth?.id) { if (third) this.begin() } else if (type === 'OK') {
      const sent = this.waiting.get(id)
      const later = !third && /^(rate-limited|auth-required|error):/.test(reason) && sent?.until > now()
      if (later) setTimeout(() => this.waiting.has(id) && this.send('EVENT', sent.event), 2000)
      else this.waiting.delete(id)
      if (!third) console.error(`${this.url} refuses an event: ${JSON.stringify(reason)}`)
      else if (sent?.event.kind === 31990 && !this.told) {
        this.told = true
        console.log(`online ${npubEncode(this.provider.pubkey)} ${this.url}`)
      }
    }
  }
}

class Provider {
  constructor(secret, offer, model) {
    Object.assign(this, { secret, offer, model, pubkey: getPublicKey(secret), links: [], dated: {} })
    Object.assign(this, { jobs: new Map(), done: new Map(), cancelled: new Map() })
  }

  sign(template) { return finalizeEvent(template, this.secret) }
  publish(event, until) { for (const link of this.links) link.publish(event, until) }
  keep(map, key, value) { if (map.set(key, value).size > KEPT_JOBS) map.delete(map.keys().next().value) }

  // [4], [5] Each a second after the one before, at least.
  next(kind) { return (this.dated[kind] = Math.max(now(), (this.dated[kind] ?? 0) + 1)) }
  offerFor(secs, at = this.next(31990)) { this.publish(this.sign(templates.announcement(this.offer, at, at + secs)), at + secs) }
  liveFor(secs, at = this.next(31991)) { this.publish(this.sign(templates.heartbeat(this.jobs.size, at, at + secs)), at + secs) }
  beat(isNew) {
    if (isNew || now() - this.dated[31990] >= RENEW_SECS) this.offerFor(3600)
    this.liveFor(2 * HEARTBEAT_SECS)
  }

  refuse(event, error, otherwise) {
    const refusal = error instanceof Refusal ? error : otherwise
    console.error(`job ${event.id.slice(0, 8)}: ${refusal.reason}: ${error.message}`)
    this.jobs.delete(event.id)
    this.publish(this.sign(templates.refusal(event.id, event.pubkey, refusal, now())), now() + 60)
  }

  heard(event) {
    if (!event.tags.some(([name, key]) => name === 'p' && key === this.pubkey) || !verifyEvent(event)) return
    if (event.kind === 5) this.cancel(event)
    const isKnown = this.jobs.has(event.id) || this.cancelled.has(`${event.id} ${event.pubkey}`)
    if (event.kind !== 5050 || isKnown || expirationOf(event) <= now()) return
    const sent = this.done.get(event.id)
    if (sent) return this.publish(sent, expirationOf(event)) // [7] the same result again
    try {
      const job = readJob(event, this.secret, this.offer)
      if (this.jobs.size >= MAX_QUEUE) throw new Refusal('busy', 'too many jobs wait', 5)
      this.jobs.set(event.id, { event, job, stop: new AbortController() })
      this.work()
    } catch (error) { this.refuse(event, error, new Refusal('unsupported', 'the job cannot be read')) }
  }

  // [11] Only by the key that signed the job.
  cancel({ pubkey, tags }) {
    const kinds = tags.filter(([name]) => name === 'k').map(([, kind]) => whole(kind))
    if (kinds.length && !kinds.includes('5050')) return
    for (const [, id] of tags.filter(([name]) => name === 'e')) {
      const known = this.jobs.get(id)
      if (!this.done.has(id)) this.keep(this.cancelled, `${id} ${pubkey}`)
      if (known?.event.pubkey !== pubkey) continue
      known.stop.abort()
      this.refuse(known.event, new Refusal('cancelled', 'cancelled at the asker\'s wish'))
    }
  }

  async work() {
    const [id] = this.jobs.keys()
    if (this.running || !id) return
    this.running = true
    const { event, job, stop } = this.jobs.get(id)
    const limit = setTimeout(() => stop.abort(), Math.max(0, job.expiration - now()) * 1000)
    try {
      const result = await answer(job, this.model, stop.signal)
      if (job.expiration <= now()) throw new Error('it is too late')
      if (this.jobs.delete(id)) { // unless it was cancelled meanwhile
        const sent = this.sign(templates.result(job, result, this.secret, now()))
        this.keep(this.done, id, sent)
        this.publish(sent, job.expiration)
      }
    } catch (error) {
      const why = job.expiration <= now() ? ['too-late', 'the job expired'] : ['engine-failed', 'the engine failed']
      if (this.jobs.has(id)) this.refuse(event, error, new Refusal(...why))
    }
    clearTimeout(limit)
    this.running = false
    this.work()
  }
}

async function main() {
  const names = ['key', 'name', 'endpoint', 'model', 'context', 'check-vectors', 'relay']
  const options = Object.fromEntries(names.map((name) => [name, { type: 'string', multiple: name === 'relay' }]))
  const { values } = parseArgs({ options })
  const file = values['check-vectors']
  if (file) return (await import('./vectors.mjs')).check(JSON.parse(readFileSync(file, 'utf8')))
  if (!values.relay) throw new Error('name a relay: --relay ws://…')
  if (values.endpoint && !values.model) throw new Error('name the endpoint\'s model: --model NAME')
  const secret = values.key ? Uint8Array.from(Buffer.from(values.key, 'hex')) : generateSecretKey()
  const model = { name: values.model ?? 'copier', endpoint: values.endpoint?.replace(/\/$/, '') }
  const offer = {
    name: values.name ?? 'a stranger', model: model.name, context_tokens: Number(values.context ?? 8192), price_msats_per_1k: 0,
    dialect: model.endpoint ? 'json' : 'records', concurrency: 1, roles: ['worker'], accepts_open_jobs: false,
  }
  const provider = new Provider(secret, offer, model)
  provider.links = values.relay.map((url) => new Link(url, provider))
  setInterval(() => provider.beat(false), HEARTBEAT_SECS * 1000)
  for (const signal of ['SIGINT', 'SIGTERM']) {
    process.on(signal, () => { provider.offerFor(1); provider.liveFor(1); setTimeout(() => process.exit(0), 300) })
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main()
