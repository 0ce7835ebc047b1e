// Calls of fal's client for JavaScript: the URL of the proxy is all that a user changes. Prints a line for each.
import { ApiError, fal, ValidationError } from '@fal-ai/client';
import { withReceiver } from './webhook.mjs';

fal.config({ proxyUrl: { url: process.env.FAL_PROXY_URL, when: 'always' } });

const image = 'sandbox/sandbox-image';
const text = 'sandbox/sandbox-text';
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
);

function expect(isTrue, seen) {
  if (!isTrue) throw new Error(`unexpected: ${JSON.stringify(seen)}`);
}
async function fails(promise, type, status) {
  const error = await promise.then(
    (value) => expect(false, value),
    (thrown) => thrown,
  );
  expect(error instanceof type && error.status === status, { ...error, message: error.message });
  return error;
}
const bytesAt = async (url) => Buffer.from(await (await fetch(url)).arrayBuffer());
async function expectImage({ images: [{ url, content_type, width }] }) {
  expect(content_type === 'image/png' && width === 64, { content_type, width });
  expect((await bytesAt(url)).subarray(1, 4).toString() === 'PNG', url);
}
const pause = () => new Promise((resolve) => setTimeout(resolve, 200));
const small = { prompt: 'a lighthouse', width: 64, height: 64 };

const calls = {
  async 'the quickstart'() {
    const seen = [];
    const result = await fal.subscribe(image, {
      input: { ...small, delay_ms: 700 },
      logs: true,
      onQueueUpdate: (update) => {
        seen.push(update.status);
        if (update.status === 'IN_PROGRESS') update.logs.map((log) => log.message).forEach(String);
      },
    });
    await expectImage(result.data);
    expect(result.requestId.startsWith('exec_'), result.requestId);
    expect(seen.at(-1) === 'COMPLETED' && seen.includes('IN_PROGRESS'), seen);
  },
  async 'subscribe by a stream'() {
    const seen = [];
    const { data } = await fal.subscribe(image, {
      input: { ...small, delay_ms: 300 },
      mode: 'streaming',
      logs: true,
      onQueueUpdate: ({ status }) => seen.push(status),
    });
    await expectImage(data);
    expect(seen.at(-1) === 'COMPLETED' && seen.length > 1, seen);
  },
  async 'the queue'() {
    const { request_id: requestId, ...urls } = await fal.queue.submit(image, {
      input: { ...small, delay_ms: 500 },
      priority: 'low',
      hint: 'any',
    });
    expect(new URL(urls.status_url).pathname.endsWith(`/requests/${requestId}/status`), urls);
    const early = await fails(fal.queue.result(image, { requestId }), ApiError, 400);
    expect(early.body.detail === 'Request is still in progress', early.body);
    await fal.queue.subscribeToStatus(image, { requestId });
    const status = await fal.queue.status(image, { requestId, logs: true });
    expect(status.status === 'COMPLETED' && Array.isArray(status.logs), status);
    const { data, requestId: same } = await fal.queue.result(image, { requestId });
    await expectImage(data);
    expect(same === requestId, same);
  },
  async 'a path below the app'() {
    const { data } = await fal.subscribe('sandbox/flux/dev', { input: small });
    await expectImage(data);
  },
  async 'a slug without an alias'() {
    const { data } = await fal.subscribe('holdfast/plain', { input: { prompt: 'hello' } });
    expect(typeof data.output === 'string' && data.output === data.text, data);
  },
  async 'webhooks, verified'() {
    const jwksUrl = new URL('/v1/fal/.well-known/jwks.json', process.env.FAL_PROXY_URL);
    await withReceiver(jwksUrl, async (webhookUrl, next) => {
      const { request_id: id } = await fal.queue.submit(image, { input: small, webhookUrl });
      const { payload, ...ok } = await next();
      expect(ok.isVerified && ok.status === 'OK' && ok.request_id === id, ok);
      await expectImage(payload);
      const { data } = await fal.queue.result(image, { requestId: id });
      expect(JSON.stringify(payload) === JSON.stringify(data), { payload, data });
      const input = { ...small, fail: 'CONTENT_MODERATION_REJECTED' };
      await fal.queue.submit(image, { input, webhookUrl });
      const failed = await next();
      expect(failed.isVerified && failed.status === 'ERROR' && failed.error.endsWith('422'), failed);
      expect(failed.payload.detail[0].type === 'content_policy_violation', failed);
    });
  },
  async cancel() {
    const { request_id: requestId } = await fal.queue.submit(image, {
      input: { ...small, delay_ms: 60_000 },
    });
    await fal.queue.cancel(image, { requestId });
    const status = await fal.queue.status(image, { requestId });
    expect(status.status === 'COMPLETED' && status.error_type === 'client_cancelled', status);
    await fails(fal.queue.result(image, { requestId }), ApiError, 500);
  },
  async 'a timeout of the client'() {
    const input = { ...small, prompt: 'too slow', delay_ms: 60_000 };
    const error = await fal.subscribe(image, { input, timeout: 300 }).catch((thrown) => thrown);
    expect(error instanceof Error && error.message.includes('timed out'), String(error));
  },
  async 'a time limit for the start'() {
    const narrow = 'holdfast/narrow';
    const { request_id: requestId } = await fal.queue.submit(narrow, {
      input: { ...small, prompt: 'takes the only place', delay_ms: 60_000 },
    });
    while ((await fal.queue.status(narrow, { requestId })).status === 'IN_QUEUE') await pause();
    for (const call of [fal.subscribe, fal.run]) {
      const error = await fails(call(narrow, { input: small, startTimeout: 1.1 }), ApiError, 504);
      expect(error.isUserTimeout && error.body.error_type === 'startup_timeout', error);
    }
    await fal.queue.cancel(narrow, { requestId });
  },
  async 'files that are kept as asked'() {
    const storageSettings = { expiresIn: 1 };
    const { data } = await fal.subscribe(image, { input: small, storageSettings });
    while ((await fetch(data.images[0].url)).status !== 404) await pause();
    const { data: kept } = await fal.subscribe(image, { input: small, storageSettings: { expiresIn: '1h' } });
    await expectImage(kept);
  },
  async run() {
    const { data, requestId } = await fal.run(image, { input: small });
    await expectImage(data);
    expect(requestId.startsWith('exec_'), requestId);
  },
  async stream() {
    const stream = await fal.stream(text, { input: { prompt: 'hello', tokens: 30, tokens_per_s: 60 } });
    const events = [];
    for await (const event of stream) events.push(event);
    const done = await stream.done();
    expect(events.length > 2 && events.at(-2).partial, events.length);
    expect(done.output.startsWith(events[0].output) && done.output.split(' ').length > 5, done);
  },
  async 'an upload and a Blob in the input'() {
    const url = await fal.storage.upload(new File([png], 'dot.png', { type: 'image/png' }));
    expect((await bytesAt(url)).equals(png), url);
    const transform = 'sandbox/image-transform';
    const input = { width: 8, height: 8 };
    const byUrl = await fal.subscribe(transform, { input: { ...input, source_image: url } });
    const byBlob = await fal.subscribe(transform, {
      input: { ...input, source_image: new Blob([png], { type: 'image/png' }) },
    });
    for (const { data } of [byUrl, byBlob])
      expect((await bytesAt(data.images[0].url)).subarray(1, 4).toString() === 'PNG', data);
  },
  async 'an upload in parts'() {
    // Over 90 MB: a PNG with bytes after its end.
    const bytes = Buffer.concat([png, Buffer.alloc(91 * 1024 * 1024)]);
    const url = await fal.storage.upload(new Blob([bytes], { type: 'image/png' }), {
      lifecycle: { expiresIn: '1d' },
    });
    expect((await bytesAt(url)).equals(bytes), url);
  },
  async 'an input that the model refuses'() {
    const error = await fails(fal.subscribe(image, { input: { prompt: '' } }), ValidationError, 422);
    expect(error.getFieldErrors('prompt').length === 1, error.fieldErrors);
    const missing = await fails(fal.run(image, { input: {} }), ValidationError, 422);
    expect(missing.fieldErrors[0].type === 'missing', missing.fieldErrors);
  },
  async 'a run that fails'() {
    const input = { ...small, fail: 'GENERATION_FAILED' };
    const error = await fails(fal.subscribe(image, { input }), ApiError, 500);
    expect(error.requestId.startsWith('exec_') && typeof error.body.detail === 'string', error);
    const refused = { ...small, fail: 'CONTENT_MODERATION_REJECTED' };
    const { fieldErrors } = await fails(fal.subscribe(image, { input: refused }), ValidationError, 422);
    expect(fieldErrors[0].type === 'content_policy_violation', fieldErrors);
    await fails(fal.run(image, { input }), ApiError, 500);
  },
  async 'an app that there is not'() {
    await fails(fal.subscribe('fal-ai/nothing', { input: small }), ApiError, 404);
  },
};

for (const [name, call] of Object.entries(calls)) {
  const problem = await call().then(
    () => null,
    (error) => `${error.stack ?? error} ${JSON.stringify(error.body ?? '')}`,
  );
  console.log(JSON.stringify({ name, problem }));
}
