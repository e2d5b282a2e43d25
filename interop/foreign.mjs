// Providers of another make (nostr-tools): each reads its directed jobs and behaves in one way.

import { linesOf, matching, reader } from './model.mjs';
import { Client, Keys, opened, tagOf } from './nostr.mjs';

export class Foreign {
  // Joins a relay. `behaves` gets one job at a time: `prompt`, and `answer`, `feedback` to reply with.
  static async join(s, url, behaves) {
    const foreign = new Foreign();
    foreign.keys = new Keys();
    foreign.jobs = 0;
    const client = await Client.connect(s, url, foreign.keys);
    const say = (kind, job, tags, content) => {
      const event = foreign.keys.sign(kind, [['e', job.id], ['p', job.pubkey], ...tags], content);
      return client.publish(event).catch(() => {});
    };
    await client.subscribe({ kinds: [5050], '#p': [foreign.keys.hex] }, async (job) => {
      foreign.jobs += 1;
      const { text } = await opened(foreign.keys, job);
      const prompt = JSON.parse(text).find(([name]) => name === 'i')?.[1] ?? '';
      behaves({
        job,
        prompt,
        answer: (content) => say(6050, job, [['encrypted'], ['status', 'success']], foreign.keys.nip44(job.pubkey, content)),
        feedback: (...tags) => say(7000, job, tags, ''),
      });
    });
    // Jobs of others are in sight of everybody at a relay, though nobody else can read them.
    foreign.answersOthers = (content) =>
      client.subscribe({ kinds: [5050] }, (job) => {
        if (tagOf(job, 'p')?.[0] !== foreign.keys.hex) say(6050, job, [['status', 'success']], content);
      });
    return foreign;
  }
}

export const honest = ({ prompt, answer }) => answer(reader(prompt));
export const silent = () => {};
export const failing = ({ feedback }) => feedback(['status', 'error', 'out of order']);
export const garbage = ({ answer }) => answer('I am sorry, as a model I cannot do this. {"matches":');
export const denying = ({ answer }) => answer(matching([]));
// Quotes lines that stand there and say the contrary.
export const lying = ({ prompt, answer }) => answer(matching(linesOf(prompt)));
// Quotes lines that nobody wrote.
export const inventing = ({ prompt, answer }) => answer(matching(linesOf(prompt).map(({ line }) => ({ line, text: `order ${line} failed` }))));
export const billing = ({ feedback }) => feedback(['status', 'payment-required'], ['amount', '1000000', 'lnbc10u1pnotaninvoice']);
// Talks without end and answers nothing.
export const flooding = ({ feedback }) => {
  for (let number = 0; number < 200; number += 1) feedback(['status', 'processing', `${number} `.repeat(100)]);
};
