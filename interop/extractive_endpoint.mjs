// An OpenAI-compatible endpoint whose "model" is code: it answers the tasks of the `json` dialect (docs/protocol.md, section 16) by
// `name=value` pairs, and by copying lines that share words with the question. It understands nothing; tests of providers need answers that
// are always the same.
//
//   node extractive_endpoint.mjs      prints its address
import { createServer } from 'node:http'

const MOST_CLAIMS = 3
const COMMON = new Set(('a an and any are as at be by can do does for from has have how if in into is it its of on or that the '
  + 'this to under was what when where which who whom whose will with').split(' '))
const wordsOf = (text) => (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).filter((word) => !COMMON.has(word))
const stem = (word) => word.slice(0, 6)
const stems = (text) => new Set(wordsOf(text).map(stem))
const shared = (one, other) => [...one].filter((word) => other.has(word)).length
const linesOf = (text) => [...text.matchAll(/^(\d+)\| (.*)$/gm)].map(([, number, line]) => ({ number: Number(number), line: line.trim() }))
const sentencesOf = (text) => text.split(/[.;]\s+(?=\p{Lu})/u)
const questionOf = (text) => JSON.parse([...text.matchAll(/^Question: (".*")$/gm)].at(-1)?.[1] ?? '""')

// Lines for which all conditions hold.
function records(prompt) {
  const valueIn = (line, field) => new RegExp(`(?:^|\\s)${field}=(\\S+)`).exec(line)?.[1] ?? null
  const conditions = [...prompt.matchAll(/^- (\S+) (is|is not) (.+)$/gm)].map(([, field, how, value]) => ({ field, how, value }))
  const asked = [...prompt.matchAll(/its (\S+) copied exactly as it stands there as "(\w+)"/g)]
  const holds = ({ line }) => conditions.every(({ field, how, value }) => {
    const found = valueIn(line, field)
    return found !== null && (found.toLowerCase() === value.toLowerCase()) === (how === 'is')
  })
  const copied = (line) => Object.fromEntries(asked.map(([, field, key]) => [key, valueIn(line, field)]))
  const match = ({ number, line }) => ({ line: number, quote: line.slice(0, 160), ...copied(line) })
  return { matches: linesOf(prompt).filter(holds).map(match) }
}

function read(prompt) {
  const question = stems(questionOf(prompt))
  const found = linesOf(prompt).map((one) => ({ ...one, score: shared(question, stems(one.line)) }))
    .filter(({ line, score }) => score >= 2 && line.length <= 400 && /\.$/.test(line))
    .sort((one, other) => other.score - one.score || one.number - other.number)
  return { claims: found.slice(0, MOST_CLAIMS).map(({ number, line }) => ({ lines: [[number, number]], claim: line })) }
}

// A claim is a whole line or a whole sentence of one: what is left out or changed may turn it into its contrary.
function review(prompt) {
  const blocks = prompt.split(/^Claim \d+: /m)
  return { verdicts: blocks.slice(1).map((block, at) => {
    const claim = JSON.parse(block.slice(0, block.indexOf('\n') + 1 || undefined))
    const lines = linesOf(blocks[at]).map(({ line }) => line.replace(/ \([^()]* line \d+\)$/, '')) // without a note's place
    const isSaid = [...lines, ...lines.flatMap(sentencesOf)].some((said) => wordsOf(said).join(' ') === wordsOf(claim).join(' '))
    if (isSaid) return 'supported'
    return shared(stems(claim), stems(lines.join(' '))) * 3 >= stems(claim).size * 2 ? 'contradicted' : 'not_stated'
  }) }
}

// Every sentence names the note that it stands in.
function write(prompt) {
  const notes = [...prompt.matchAll(/^\[(\d+)\] (.*)$/gm)]
  const cited = (number) => (said) => `${said.replace(/[.\s]*$/, '')} [${number}].`
  return notes.flatMap(([, number, note]) => sentencesOf(note).map(cited(number))).join(' ')
}

// A role may stand before the task.
const TASKS = {
  'You read one part of a longer document.': records,
  'You read one part of a document for somebody': read,
  'You check claims against the lines': review,
  'You prepare a question for readers.': () => ({ questions: [] }),
  'Several readers each read one part': write,
  'A question is asked over many records': () => ({ reduction: 'free', measure: null, report: null, conditions: [] }),
}

function answer(prompt) {
  const task = Object.keys(TASKS).find((beginning) => `\n${prompt}`.includes(`\n${beginning}`))
  if (!task) throw new Error(`an unknown task: ${prompt.slice(0, 80)}`)
  return TASKS[task](prompt)
}

const server = createServer(async (request, response) => {
  let body = ''
  for await (const chunk of request) body += chunk
  try {
    const made = answer(JSON.parse(body).messages.at(-1).content)
    const content = typeof made === 'string' ? made : JSON.stringify(made)
    response.end(JSON.stringify({ choices: [{ message: { role: 'assistant', content }, finish_reason: 'stop' }] }))
  } catch (error) {
    console.error(error.message)
    response.writeHead(400).end(JSON.stringify({ error: { message: error.message } }))
  }
})
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}/v1`))
