// The samples of fal's README and quickstarts for JavaScript, where nothing but the configuration differs. Prints a line for each.
import { fal } from '@fal-ai/client';

fal.config({ proxyUrl: { url: process.env.FAL_PROXY_URL, when: 'always' } });

const { log } = console;
const logged = [];
console.log = (...values) => void logged.push(...values);

const samples = {
  async 'subscribe, with logs'() {
    const result = await fal.subscribe('fal-ai/flux/dev', {
      input: {
        prompt: 'Extreme close-up of a single tiger eye, direct frontal view.',
        image_size: 'landscape_4_3',
        num_images: 1,
      },
      logs: true,
      onQueueUpdate: (update) => {
        if (update.status === 'IN_PROGRESS') {
          update.logs.map((log) => log.message).forEach(console.log);
        }
      },
    });
    console.log(result.data.images[0].url);
    console.log(result.requestId);
  },
  async 'submit, status and result'() {
    const { request_id } = await fal.queue.submit('fal-ai/flux/dev', {
      input: { prompt: 'Photo of a cute dog' },
    });
    await fal.queue.subscribeToStatus('fal-ai/flux/dev', { requestId: request_id });
    const status = await fal.queue.status('fal-ai/flux/dev', { requestId: request_id, logs: true });
    console.log(status.status);
    const result = await fal.queue.result('fal-ai/flux/dev', { requestId: request_id });
    console.log(result.data.images[0].url);
    console.log(result.requestId);
  },
  async run() {
    const result = await fal.run('fal-ai/fast-sdxl', {
      input: { prompt: 'a cute cat, realistic, orange' },
    });
    console.log(result.data.images[0].url);
  },
  async stream() {
    const stream = await fal.stream('fal-ai/flux/dev', {
      input: { prompt: 'a cat in a streaming sample', seed: 6252023 },
    });
    for await (const event of stream) {
      console.log(event);
    }
    const result = await stream.done();
    console.log(result.images[0].url);
  },
  async 'upload a file'() {
    const file = new File(['Hello, World!'], 'hello.txt', { type: 'text/plain' });
    const url = await fal.storage.upload(file);
    console.log(url);
  },
};

for (const [name, sample] of Object.entries(samples)) {
  logged.length = 0;
  const problem = await sample().then(
    () => (logged.length > 0 && !logged.includes(undefined) ? null : 'nothing was logged'),
    (error) => `${error.constructor.name}: ${error.message} ${JSON.stringify(error.body ?? '')}`,
  );
  log(JSON.stringify({ name, problem }));
}
