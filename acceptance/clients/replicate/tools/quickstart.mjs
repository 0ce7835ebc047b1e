// The steps of Replicate's guides for JavaScript, with the base URL changed. Prints a line for each.
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Replicate from 'replicate';

const replicate = new Replicate({ baseUrl: process.env.REPLICATE_BASE_URL });
const folder = await mkdtemp(join(tmpdir(), 'quickstart-'));

function expect(isTrue, seen) {
  if (!isTrue) throw new Error(`unexpected: ${JSON.stringify(seen)}`);
}

const steps = {
  async 'run a model, and save its output'() {
    const [output] = await replicate.run('black-forest-labs/flux-schnell', {
      input: { prompt: 'an iguana on the beach, pointillism', num_outputs: 1, go_fast: true },
    });
    const path = join(folder, 'output.png');
    await writeFile(path, output);
    expect((await readFile(path)).subarray(1, 4).toString() === 'PNG');
  },
  async 'stream the output of a language model'() {
    let written = '';
    for await (const { data } of replicate.stream('meta/meta-llama-3-70b-instruct', {
      input: { prompt: 'a haiku about llamas', max_tokens: 512 },
    }))
      written += data;
    expect(written.includes('a haiku about llamas'), written);
  },
  async 'run a model in the background'() {
    let prediction = await replicate.predictions.create({
      model: 'black-forest-labs/flux-schnell',
      input: { prompt: 'painting of a cat by andy warhol' },
    });
    prediction = await replicate.predictions.get(prediction.id);
    prediction = await replicate.wait(prediction);
    expect(prediction.output[0].startsWith('data:image/png'), prediction);
  },
};

for (const [name, step] of Object.entries(steps)) {
  const problem = await step().then(
    () => null,
    (error) => `${error.constructor.name}: ${error.message}`,
  );
  console.log(JSON.stringify({ name, problem }));
}
