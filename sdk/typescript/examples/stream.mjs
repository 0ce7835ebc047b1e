// Prints the output of a model while it is made, and what it cost.
import { Holdfast } from '@holdfast/sdk';

const client = new Holdfast();
const stream = client.stream('sandbox-text', { prompt: 'A lighthouse', tokens: 40 });
for await (const delta of stream) process.stdout.write(delta);
const { execution } = await stream.final();
console.log(`\n${execution.id} cost ${execution.cost}`);
