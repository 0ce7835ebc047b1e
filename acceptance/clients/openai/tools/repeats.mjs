// Calls by several clients at once, of which every seventh repeats a text that was said before. A user repeats a stream that breaks
// off, and a call for which its client gives up. Prints a line for each call.
import OpenAI, { toFile } from 'openai';

const client = new OpenAI({ maxRetries: Number(process.env.RETRIES) });
const count = Number(process.env.CALLS);
const width = Number(process.env.WIDTH);
const model = process.env.MODEL ?? 'gpt-4o-mini';
// A stream of it takes a while.
const long = ', and so on'.repeat(15);
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
);
const said = (content) => [{ role: 'user', content }];
const imageOf = ({ data: [{ b64_json }] }) => (b64_json ? 'an image' : 'nothing');

const kinds = {
  async chat(text) {
    const { choices } = await client.chat.completions.create({ model, messages: said(text) });
    return choices[0].message.content;
  },
  async stream(text) {
    let content = '';
    for await (const { choices } of await client.chat.completions.create({
      model,
      messages: said(text),
      stream: true,
    }))
      content += choices[0]?.delta?.content ?? '';
    return content;
  },
  response: async (text) => (await client.responses.create({ model, input: text })).output_text,
  async paint(prompt) {
    return imageOf(await client.images.generate({ model: 'gpt-image-1', prompt }));
  },
  async 'paint over'(prompt) {
    const image = await toFile(png, 'a.png', { type: 'image/png' });
    return imageOf(await client.images.edit({ model: 'gpt-image-1-edit', image, prompt }));
  },
};
const names = process.env.KINDS?.split(',') ?? Object.keys(kinds);

async function untilItWorks(call) {
  for (let tries = 1; ; tries++) {
    try {
      return { content: await call(), tries };
    } catch (error) {
      if (tries > 60 || (error.status !== undefined && error.status < 500)) throw error;
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }
}

let next = 0;
async function loop(lane) {
  for (let call = next++; call < count; call = next++) {
    const name = names[call % names.length];
    const text = `${name}: node ${call % 7 === 6 ? `lane ${lane}` : call}${long}`;
    console.log(JSON.stringify({ text, ...(await untilItWorks(() => kinds[name](text))) }));
  }
}
await Promise.all(Array.from({ length: width }, (_, lane) => loop(lane)));
