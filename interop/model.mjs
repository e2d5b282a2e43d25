// An engine with an OpenAI-compatible endpoint, in the place of a general model: it answers each prompt with what `answer`
// makes of it. The providers in front of it are real.

import { createServer } from 'node:http';

export class Model {
  static async start(answer) {
    const model = new Model();
    model.prompts = [];
    model.server = createServer(async (request, response) => {
      let body = '';
      for await (const chunk of request) body += chunk;
      const reply = (status, value) => {
        response.writeHead(status, { 'content-type': 'application/json' });
        response.end(JSON.stringify(value));
      };
      if (request.method === 'GET') return reply(200, { object: 'list', data: [{ id: 'stand-in', object: 'model' }] });
      const { messages, prompt: text, stream } = JSON.parse(body);
      const prompt = messages?.at(-1)?.content ?? text ?? '';
      model.prompts.push(prompt);
      const content = answer(prompt);
      if (content === null) return reply(500, { error: { message: 'the engine is broken' } });
      const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
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
    });
    await new Promise((resolve) => model.server.listen(0, '127.0.0.1', resolve));
    model.url = `http://127.0.0.1:${model.server.address().port}/v1#stand-in`;
    return model;
  }

  async stop() {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}
