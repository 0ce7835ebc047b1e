// Calls by several clients at once, each of which repeats what it loses by itself. Prints a line for each call.
import Replicate from 'replicate';

const client = new Replicate({ baseUrl: process.env.REPLICATE_BASE_URL });
const count = Number(process.env.CALLS);
const kinds = [{}, { wait: { mode: 'block', timeout: 3 } }, { wait: { mode: 'poll', interval: 50 } }];

let next = 0;
async function loop() {
  for (let call = next++; call < count; call = next++) {
    const prompt = `node ${call}.`;
    const input = { prompt, delay_ms: 100 };
    const output = await client.run('sandbox/sandbox-text', { input, ...kinds[call % kinds.length] });
    console.log(JSON.stringify({ prompt, output: output.join('') }));
  }
}
await Promise.all(Array.from({ length: Number(process.env.WIDTH) }, loop));
