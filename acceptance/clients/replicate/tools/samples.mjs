// Runs the samples in the README of Replicate's client for JavaScript as they are written. What differs is the base URL, and
// the addresses that stand there for the reader's own. Prints a line for each.
import { once } from 'node:events';
import fs, { mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { text as bodyOf } from 'node:stream/consumers';
import Client, { validateWebhook } from 'replicate';

const { REPLICATE_BASE_URL: baseUrl } = process.env;
const readme = await readFile(new URL('node_modules/replicate/README.md', import.meta.url), 'utf8');
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
);

class Replicate extends Client {
  constructor(options) {
    super({ baseUrl, ...options });
  }
}
const replicate = new Replicate();

process.chdir(await mkdtemp(`${tmpdir()}/samples-`));
await mkdir('path/to', { recursive: true });
await writeFile('path/to/image.png', png);

function expect(isTrue, seen) {
  if (!isTrue) throw new Error(`unexpected: ${JSON.stringify(seen)}`);
}
const isPng = (bytes) => expect(Buffer.from(bytes).toString('latin1', 1, 4) === 'PNG', bytes.slice(0, 8));
const bytesOf = async (file) => new Uint8Array(await (await file.blob()).arrayBuffer());

/** The code after a text of the README. */
function codeAfter(text) {
  const at = readme.indexOf(text);
  const [, code] = /^```(?:js|javascript)\n(.*?)^```$/ms.exec(readme.slice(at)) ?? [];
  if (at < 0 || code === undefined) throw new Error(`there is no sample after: ${text}`);
  return code;
}

const installed = createRequire(import.meta.url);
const AsyncFunction = (async () => {}).constructor;
const log = [];
/** What the samples do not declare, and the consoles that they write to. */
const globals = {
  replicate,
  fs,
  console: { log: (...values) => log.push(values) },
  require: (name) => (name === 'replicate' ? Replicate : installed(name)),
};

/** Runs code, and returns the value of `result` after it. */
async function run(code, result, more = {}) {
  const known = Object.entries({ ...globals, ...more }).filter(
    ([name]) => !new RegExp(`const ${name} `).test(code),
  );
  const names = known.map(([name]) => name);
  return await new AsyncFunction(...names, `${code}\nreturn ${result};`)(...known.map(([, value]) => value));
}

async function webhook() {
  const { promise, resolve } = Promise.withResolvers();
  const server = createServer((request, response) => {
    const { headers } = request;
    resolve(bodyOf(request).then((body) => ({ headers, body })));
    response.writeHead(200).end();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const url = `http://127.0.0.1:${server.address().port}/webhooks/replicate`;
  const code = codeAfter('Create the prediction passing in the webhook URL')
    .replace(/https:\/\/replicate\.delivery[^"]*/, `data:image/png;base64,${png.toString('base64')}`)
    .replace('https://my.app/webhooks/replicate', url);
  await run(code, 'null');
  const { headers, body } = await promise.finally(() => server.close());
  const { key } = await replicate.webhooks.default.secret.get();
  process.env.REPLICATE_WEBHOOK_SIGNING_SECRET = key;
  const handler = codeAfter("Here's an example of how to validate webhooks using Next.js:");
  const post = await run(handler.replace(/^import .*$/gm, '').replace('export ', ''), 'POST', {
    NextResponse: Response,
    validateWebhook,
  });
  const received = (one) => post(new Request(url, { method: 'POST', headers, body: one }));
  expect((await received(body)).status === 200 && (await received(`${body} `)).status === 401, headers);
  expect(log.at(-1)?.[0].status === 'succeeded' || JSON.parse(body).status === 'succeeded', body);
}

let created;
const owner = { model_owner: 'black-forest-labs', model_name: 'flux-schnell' };
const options = { model: 'black-forest-labs/flux-schnell', input: { prompt: 'an iguana' } };
const paged = ({ results, next, previous }) =>
  Array.isArray(results) && next !== undefined && previous === null;
/**
 * The calls of the reference, what they are given, and what is true of their response.
 * @type {[string, any, (response: any) => unknown][]}
 */
const reference = [
  [
    'models.get',
    owner,
    ({ name, latest_version: latest }) => name === 'flux-schnell' && latest.openapi_schema,
  ],
  ['models.list', {}, paged],
  ['models.search', { query: 'flux' }, ({ results }) => results.length > 0],
  ['hardware.list', {}, Array.isArray],
  ['models.versions.list', owner, ({ results: [version] }) => version.cog_version],
  ['models.versions.get', { ...owner, version_id: 'fs1' }, ({ id }) => id === 'fs1'],
  ['predictions.create', { options }, (response) => (created = response).status === 'starting'],
  ['predictions.get', () => ({ prediction_id: created.id }), ({ id }) => id === created.id],
  [
    'predictions.cancel',
    () => ({ prediction_id: created.id }),
    ({ status }) => /^(canceled|succeeded)$/.test(status),
  ],
  ['predictions.list', {}, (page) => paged(page) && page.results.some(({ id }) => id === created.id)],
  ['trainings.list', {}, paged],
  [
    'deployments.predictions.create',
    { deployment_owner: 'black-forest-labs', deployment_name: 'flux-schnell', options },
    ({ status }) => status === 'starting',
  ],
  ['deployments.list', {}, paged],
  [
    'files.create',
    { file: new Blob(['a photo'], { type: 'image/webp' }), metadata: { customer_reference_id: '123' } },
    (response) => (created = response).checksums.sha256 && created.urls.get,
  ],
  ['files.list', {}, ({ results }) => results.some(({ id }) => id === created.id)],
  ['files.get', () => ({ file_id: created.id }), ({ size }) => size === 7],
  ['files.delete', () => ({ file_id: created.id }), () => true],
  ['request', { route: '/account', parameters: {} }, (response) => response.ok],
];

const samples = {
  async 'run a model'() {
    const { protocol } = await run(codeAfter('Run a model and await the result:'), 'output.url()');
    expect(protocol === 'data:', protocol);
  },
  async 'run a model in the background'() {
    const code = [
      'You can also run a model in the background:',
      'Then fetch the prediction',
      'Or wait for the prediction',
    ];
    const { status, output } = await run(code.map(codeAfter).join(''), 'prediction');
    expect(status === 'succeeded' && output[0].startsWith('data:image/png'), status);
  },
  async 'run a model with a file'() {
    const code = codeAfter('or a handle to a file on your local device.');
    isPng(await bytesOf(await run(code, 'output')));
  },
  'get a webhook, and validate it': webhook,
  async 'run, in the reference'() {
    const [output] = await run(codeAfter('misleading as a model can return'), 'output');
    isPng(await bytesOf(output));
  },
  async 'run with progress'() {
    await run(codeAfter('Example that logs progress as the model is running:'), 'output');
    expect(
      log.some(([one]) => one.id && typeof one.log === 'string'),
      log,
    );
  },
  async stream() {
    const written = await run(codeAfter('Returns `AsyncGenerator<ServerSentEvent>`'), 'output.join("")');
    expect(written.includes('Mary Oliver'), written);
  },
  async paginate() {
    const page = await run(codeAfter('### `replicate.paginate`'), 'page1');
    expect(page.value.length > 0, page);
  },
  async 'write an output to disk'() {
    await run(codeAfter('`FileOutput` is a `ReadableStream` instance'), 'null');
  },
  ...Object.fromEntries(
    reference.map(([name, given, isTrue]) => [
      name,
      async () => {
        const code = codeAfter(`### \`replicate.${name}\``);
        const response = await run(code, 'response', typeof given === 'function' ? given() : given);
        expect(isTrue(response), response);
      },
    ]),
  ),
};

for (const [name, sample] of Object.entries(samples)) {
  const problem = await sample().then(
    () => null,
    (error) => `${error.constructor.name}: ${error.message}`,
  );
  console.log(JSON.stringify({ name, problem }));
}
