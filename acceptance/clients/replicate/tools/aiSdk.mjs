// The AI SDK over Replicate's API: the base URL and the key are all that it is told. Prints a line for each call.
import { createReplicate } from '@ai-sdk/replicate';
import * as ai from 'ai';

const { REPLICATE_BASE_URL: baseURL, REPLICATE_API_TOKEN: apiToken } = process.env;
const replicate = createReplicate({ baseURL, apiToken });

function expect(isTrue, seen) {
  if (!isTrue) throw new Error(`unexpected: ${JSON.stringify(seen)}`);
}
const isPng = ({ uint8Array }) =>
  expect(Buffer.from(uint8Array.subarray(1, 4)).toString() === 'PNG', [...uint8Array.subarray(0, 8)]);
const model = replicate.image('sandbox/sandbox-image');

const calls = {
  async 'an image'() {
    isPng((await ai.generateImage({ model, prompt: 'ai image' })).image);
  },
  async 'several images'() {
    const { images } = await ai.generateImage({ model, prompt: 'ai images', n: 2 });
    expect(images.length === 2, images.length);
    images.map(isPng);
  },
  async 'options of the model'() {
    const providerOptions = { replicate: { width: 32, height: 32, format: 'png', maxWaitTimeInSeconds: 20 } };
    isPng((await ai.generateImage({ model, prompt: 'ai options', providerOptions })).image);
  },
  async 'an error'() {
    const failing = ai.generateImage({ model: replicate.image('a/b'), prompt: 'ai error', maxRetries: 0 });
    const error = await failing.catch((thrown) => thrown);
    expect(error.statusCode === 404 && /could not be found/.test(error.message), error);
  },
};

for (const [name, call] of Object.entries(calls)) {
  const problem = await call().then(
    () => null,
    (error) => `${error.constructor.name}: ${error.message}`,
  );
  console.log(JSON.stringify({ name, problem }));
}
