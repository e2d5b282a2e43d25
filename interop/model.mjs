// An engine with an OpenAI-compatible endpoint, in the place of a general model: it answers each prompt with what `answer`
// makes of it. The providers in front of it are real; a run over them takes as long as `seconds` say and not as this
// machine's processor is free.

import { createServer } from 'node:http';
import { after } from './lib.mjs';

const AT_ONCE = 4;

export class Model {
  // `seconds`: how long one prompt takes.
  static async start(answer, seconds = 0) {
    const model = new Model();
    Object.assign(model, { answer, seconds, prompts: [], free: AT_ONCE, waiting: [] });
    model.server = createServer((request, response) => model.#serve(request, response));
    await new Promise((resolve) => model.server.listen(0, '127.0.0.1', resolve));
    model.url = `http://127.0.0.1:${model.server.address().port}/v1#stand-in`;
    return model;
  }

  async stop() {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  async #work() {
    if (this.free === 0) await new Promise((resolve) => this.waiting.push(resolve));
    else this.free -= 1;
    if (this.seconds > 0) await after(this.seconds);
    const next = this.waiting.shift();
    if (next) next();
    else this.free += 1;
  }

  async #serve(request, response) {
    let body = '';
    for await (const chunk of request) body += chunk;
    const reply = (status, value) => {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(value));
    };
    if (request.method === 'GET') return reply(200, { object: 'list', data: [{ id: 'stand-in', object: 'model' }] });
    const { messages, prompt: text, stream } = JSON.parse(body);
    const prompt = messages?.at(-1)?.content ?? text ?? '';
    this.prompts.push(prompt);
    await this.#work();
    const content = this.answer(prompt);
    if (content === null) return reply(500, { error: { message: 'the engine is broken' } });
    const usage = { prompt_tokens: Math.ceil(prompt.length / 4), completion_tokens: Math.ceil(content.length / 4), total_tokens: 0 };
    const base = { id: 'x', created: 0, model: 'stand-in' };
    if (!stream) {
      const choices = [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }];
      return reply(200, { ...base, object: 'chat.completion', choices, usage });
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const chunk = (choices, more = {}) => response.write(`data: ${JSON.stringify({ ...base, object: 'chat.completion.chunk', choices, ...more })}\n\n`);
    chunk([{ index: 0, delta: { role: 'assistant', content }, finish_reason: null }]);
    chunk([{ index: 0, delta: {}, finish_reason: 'stop' }]);
    chunk([], { usage });
    response.end('data: [DONE]\n\n');
    return undefined;
  }
}

// The numbered lines of a part, as a prompt for a general model shows them.
export function linesOf(prompt) {
  return [...prompt.matchAll(/^(\d+)\| (.*)$/gm)].map(([, number, text]) => ({ line: Number(number), text }));
}

// The answer that such a prompt asks for.
export function matching(lines) {
  return JSON.stringify({ matches: lines.map(({ line, text }) => ({ line, quote: text })) });
}

// Reads a part of our orders as it should be read; everything else is repeated.
export function reader(prompt) {
  const lines = linesOf(prompt);
  return lines.length > 0 ? matching(lines.filter(({ text }) => /[ =]failed$/.test(text))) : `you said: ${prompt}`;
}
