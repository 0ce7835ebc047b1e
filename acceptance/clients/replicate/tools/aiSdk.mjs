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
const film = replicate.video('sandbox/sandbox-video');
const isMp4 = ({ uint8Array, mediaType }) =>
  expect(
    Buffer.from(uint8Array.subarray(4, 8)).toString() === 'ftyp' && mediaType === 'video/mp4',
    mediaType,
  );

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
  async 'an image of another'() {
    const [first] = (await ai.generateImage({ model, prompt: 'ai source', size: '64x64' })).images;
    const prompt = { text: 'in gray', images: [first.uint8Array] };
    isPng((await ai.generateImage({ model: replicate.image('acme/portraits'), prompt })).image);
  },
  async 'a video'() {
    isMp4((await ai.experimental_generateVideo({ model: film, prompt: 'ai video' })).video);
  },
  async 'a video of an image, polled'() {
    const image = `data:image/png;base64,${(await ai.generateImage({ model, prompt: 'ai frame' })).image.base64}`;
    const { video, providerMetadata } = await ai.experimental_generateVideo({
      model: film,
      prompt: { text: 'ai moves', image },
      duration: 4,
      poll: { intervalMs: 50 },
    });
    isMp4(video);
    expect(providerMetadata.replicate.predictionId.startsWith('exec_'), providerMetadata);
  },
  async 'a video that fails'() {
    const missing = replicate.video('a/b');
    const failing = ai.experimental_generateVideo({ model: missing, prompt: 'ai error', maxRetries: 0 });
    const error = await failing.catch((thrown) => thrown);
    expect(error.statusCode === 404, error);
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
