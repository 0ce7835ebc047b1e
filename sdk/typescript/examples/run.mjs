// Runs a model and prints its output and cost.
import { Holdfast } from '@holdfast/sdk';

const client = new Holdfast();
const { output, execution } = await client.run('sandbox-text', { prompt: 'Hello' });
console.log(output.text);
console.log(`${execution.id} cost ${execution.cost}`);
