// Calls by several clients at once, each of which repeats what it loses by itself. Prints a line for each call.
import { fal } from '@fal-ai/client';

fal.config({ proxyUrl: { url: process.env.FAL_PROXY_URL, when: 'always' } });
const count = Number(process.env.CALLS);
const kinds = [fal.run, fal.subscribe];

let next = 0;
async function loop() {
  for (let call = next++; call < count; call = next++) {
    const prompt = `node ${call}.`;
    const input = { prompt, delay_ms: 100 };
    const { data } = await kinds[call % kinds.length]('sandbox/sandbox-text', { input });
    console.log(JSON.stringify({ prompt, output: data.output }));
  }
}
await Promise.all(Array.from({ length: Number(process.env.WIDTH) }, loop));
