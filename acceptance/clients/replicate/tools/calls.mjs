// Calls of Replicate's client for JavaScript, with the base URL and the key of the environment. Prints a line for each.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { text as bodyOf } from 'node:stream/consumers';
import Replicate, { validateWebhook } from 'replicate';

const { REPLICATE_BASE_URL: baseUrl } = process.env;
const client = new Replicate({ baseUrl });
const text = 'sandbox/sandbox-text';
const image = 'sandbox/sandbox-image';
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
);

function expect(isTrue, seen) {
  if (!isTrue) throw new Error(`unexpected: ${JSON.stringify(seen)}`);
}
async function fails(promise, pattern) {
  const error = await promise.then(
    (value) => expect(false, value),
    (thrown) => thrown,
  );
  expect(pattern.test(error.message), error.message);
}
const isText = (output, prompt) => expect(output.join('').includes(prompt), output);
async function isPng(file) {
  const bytes = new Uint8Array(await (await file.blob()).arrayBuffer());
  expect(Buffer.from(bytes.subarray(1, 4)).toString() === 'PNG', [...bytes.subarray(0, 8)]);
}
const versionOf = async (owner, name) => (await client.models.get(owner, name)).latest_version.id;
const until = async (id, isReached) => {
  for (let found; ; await new Promise((resolve) => setTimeout(resolve, 50)))
    if (isReached((found = await client.predictions.get(id)))) return found;
};
const hasEnded = ({ completed_at }) => completed_at !== null;

/** What the webhook of a prediction receives until its end, all of it verified. */
async function webhooksOf(prediction) {
  const { key: secret } = await client.webhooks.default.secret.get();
  const seen = [];
  const { promise: ended, resolve, reject } = Promise.withResolvers();
  async function receive(request) {
    const body = await bodyOf(request);
    const [id, timestamp, signature] = ['id', 'timestamp', 'signature'].map(
      (one) => request.headers[`webhook-${one}`],
    );
    expect(await validateWebhook({ id, timestamp, body, signature, secret }), request.headers);
    const received = JSON.parse(body);
    seen.push(received);
    if (received.completed_at !== null) resolve();
  }
  const server = createServer((request, response) => {
    receive(request).then(
      () => response.writeHead(200).end(),
      (error) => reject(error),
    );
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  try {
    const webhook = `http://127.0.0.1:${server.address().port}/`;
    const { id, model } = await client.predictions.create({ ...prediction, webhook });
    await ended;
    expect(
      seen.every((one) => one.id === id && one.model === model),
      seen,
    );
    return seen;
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

/** What it receives while the prediction runs: at the start, and for each half of a second at most once. */
async function updatesOf(prediction) {
  const [ended, ...running] = (await webhooksOf(prediction)).toReversed();
  expect(ended.status === 'succeeded', ended);
  expect(
    running.every(({ status, completed_at: at }) => status === 'processing' && at === null),
    running,
  );
  const halves = (Date.parse(ended.completed_at) - Date.parse(ended.started_at)) / 500;
  expect(running.length <= halves + 2, [running.length, halves]);
  return running;
}

const calls = {
  async 'run, waiting'() {
    isText(await client.run(text, { input: { prompt: 'js waits' } }), 'js waits');
  },
  async 'run of files'() {
    const [first] = await client.run(image, { input: { prompt: 'js paints', width: 64, height: 64 } });
    await isPng(first);
    expect(first.url().protocol === 'data:', first.url().protocol);
  },
  async 'run of a version'() {
    const version = await versionOf('sandbox', 'sandbox-text');
    isText(await client.run(`${text}:${version}`, { input: { prompt: 'js version' } }), 'js version');
  },
  async 'run, polling'() {
    const seen = [];
    const options = { input: { prompt: 'js polls', delay_ms: 300 }, wait: { mode: 'poll', interval: 50 } };
    isText(await client.run(text, options, ({ status }) => seen.push(status)), 'js polls');
    expect(seen[0] === 'starting' && seen.at(-1) === 'succeeded', seen);
  },
  async 'run that takes longer than it waits'() {
    const seen = [];
    const options = { input: { prompt: 'js is slow', delay_ms: 1500 }, wait: { mode: 'block', timeout: 1 } };
    isText(await client.run(text, options, ({ status }) => seen.push(status)), 'js is slow');
    expect(seen[0] === 'starting' && seen.at(-1) === 'succeeded', seen);
  },
  'run that fails': () =>
    fails(
      client.run(text, { input: { prompt: 'js fails', fail: 'GENERATION_FAILED' } }),
      /^Prediction failed: \S/,
    ),
  async 'run that is aborted'() {
    const controller = new AbortController();
    const options = {
      input: { prompt: 'js aborts', delay_ms: 60_000 },
      wait: { mode: 'poll', interval: 50 },
    };
    const abort = ({ status }) => status === 'processing' && controller.abort();
    let last;
    const output = await client.run(text, { ...options, signal: controller.signal }, (one) => {
      last = one;
      abort(one);
    });
    expect(last.status === 'canceled', last);
    expect(output === null || Array.isArray(output), output);
  },
  async 'run with a Buffer'() {
    const [file] = await client.run('sandbox/image-transform', { input: { source_image: png, width: 8 } });
    await isPng(file);
  },
  async 'run with a Blob'() {
    const blob = new Blob([png], { type: 'image/png' });
    const [file] = await client.run('sandbox/image-transform', { input: { source_image: blob, width: 9 } });
    await isPng(file);
  },
  async 'run with a data URI'() {
    const source_image = `data:image/png;base64,${png.toString('base64')}`;
    await isPng((await client.run('sandbox/image-transform', { input: { source_image, width: 10 } }))[0]);
  },
  async 'run with an output as input'() {
    const painted = await client.predictions.create({
      model: image,
      input: { prompt: 'js again' },
      wait: 30,
    });
    const { results } = await client.predictions.list();
    const [source_image] = results.find(({ id }) => id === painted.id).output;
    await isPng((await client.run('sandbox/image-transform', { input: { source_image, width: 11 } }))[0]);
  },
  async 'data URIs of the client, with its key'() {
    const unsafe = new Replicate({ baseUrl, fileEncodingStrategy: 'data-uri' });
    await fails(unsafe.run(text, { input: { prompt: 'js leaks', image: png } }), /contains your API key/);
  },
  async stream() {
    let streamed = '';
    const events = [];
    for await (const { event, data, id } of client.stream(text, { input: { prompt: 'js streams' } })) {
      events.push({ event, id });
      if (event === 'output') streamed += data;
    }
    expect(streamed.includes('js streams'), streamed);
    expect(events.at(-1).event === 'done' && events.every(({ id }) => /^\d+$/.test(id)), events);
  },
  async 'stream that fails'() {
    const input = { prompt: 'js breaks', fail: 'GENERATION_FAILED', fail_after_tokens: 2 };
    const stream = client.stream(text, { input });
    await fails((async () => void (await Array.fromAsync(stream)))(), /\S/);
  },
  async 'predictions.create, .get and .cancel'() {
    const input = { prompt: 'js cancels', delay_ms: 60_000 };
    const created = await client.predictions.create({ model: text, input });
    expect(created.status === 'starting' && created.model === text, created);
    const canceled = await client.predictions.cancel(created.id);
    expect(canceled.status === 'canceled', canceled);
    expect((await client.predictions.get(created.id)).status === 'canceled');
  },
  async 'predictions.create, waiting'() {
    const done = await client.predictions.create({
      model: text,
      input: { prompt: 'js created' },
      wait: true,
    });
    expect(done.status === 'succeeded' && done.metrics.predict_time >= 0, done);
    expect(Date.parse(done.completed_at) >= Date.parse(done.created_at), done);
  },
  async 'deployments.predictions.create'() {
    const { id } = await client.deployments.predictions.create('sandbox', 'sandbox-text', {
      input: { prompt: 'js deploys' },
    });
    isText((await until(id, hasEnded)).output, 'js deploys');
  },
  async wait() {
    const created = await client.predictions.create({ model: text, input: { prompt: 'js waits longer' } });
    isText((await client.wait(created, { interval: 50 })).output, 'js waits longer');
  },
  async 'paginate predictions.list'() {
    const more = Array.from({ length: 110 }, (_one, index) => ({ prompt: `js page ${index}` }));
    await Promise.all(more.map((input) => client.predictions.create({ model: text, input })));
    const ids = [];
    let pages = 0;
    for await (const page of client.paginate(client.predictions.list)) {
      pages += 1;
      ids.push(...page.map(({ id }) => id));
    }
    expect(pages >= 2 && ids.length > 110 && new Set(ids).size === ids.length, [pages, ids.length]);
  },
  async 'models.get, .list, .search and .versions'() {
    const found = await client.models.get('sandbox', 'sandbox-image');
    expect(found.owner === 'sandbox' && found.name === 'sandbox-image', found);
    const listed = [];
    for await (const page of client.paginate(client.models.list)) listed.push(...page);
    expect(
      listed.some(({ name }) => name === 'image-transform'),
      listed,
    );
    const { results } = await client.models.search('grayscale');
    expect(results.length === 1 && results[0].name === 'image-transform', results);
    const [version] = (await client.models.versions.list('sandbox', 'sandbox-image')).results;
    const same = await client.models.versions.get('sandbox', 'sandbox-image', version.id);
    expect(same.openapi_schema.components.schemas.Input.properties.prompt.type === 'string', same);
  },
  'models.get of none': () => fails(client.models.get('a', 'b'), /404.*could not be found/),
  'run of none': () => fails(client.run('a/b', { input: {} }), /404.*could not be found/),
  'run with an input that does not suit': () => fails(client.run(text, { input: {} }), /422.*prompt/),
  'run with a wrong key': () =>
    fails(new Replicate({ baseUrl, auth: 'sk_wrong' }).run(text, { input: { prompt: 'a' } }), /401/),
  async 'webhooks at the start and the end'() {
    const [started, ended] = await webhooksOf({
      model: image,
      input: { prompt: 'js hooks' },
      webhook_events_filter: ['start', 'completed'],
    });
    expect(started.status === 'processing' && ended.status === 'succeeded', [started, ended]);
    expect((await fetch(ended.output[0])).headers.get('content-type') === 'image/png', ended);
  },
  async 'webhooks at new logs and output'() {
    const input = { prompt: 'js is told', delay_ms: 1500, tokens: 20, tokens_per_s: 10 };
    const running = await updatesOf({ model: text, input });
    const logs = running.map((one) => one.logs.length);
    const output = running.map((one) => one.output?.join('').length ?? 0);
    expect(new Set(logs).size > 2 && new Set(output).size > 2, [logs, output]);
  },
  async files() {
    const created = await client.files.create(new Blob(['some lines'], { type: 'text/plain' }), { a: 1 });
    expect(created.size === 10 && created.content_type === 'text/plain', created);
    expect((await client.files.get(created.id)).urls.get === created.urls.get);
    expect((await client.files.list()).results.some(({ id }) => id === created.id));
    await client.files.delete(created.id);
    await fails(client.files.get(created.id), /404/);
  },
  async 'accounts, collections, hardware, trainings'() {
    expect((await client.accounts.current()).type === 'organization');
    expect((await client.collections.list()).results.length === 0);
    expect((await client.hardware.list()).length === 0);
    expect((await client.trainings.list()).results.length === 0);
    expect((await client.deployments.list()).results.length === 0);
  },
};

for (const [name, call] of Object.entries(calls)) {
  const problem = await call().then(
    () => null,
    (error) => `${error.constructor.name}: ${error.message}`,
  );
  console.log(JSON.stringify({ name, problem }));
}
