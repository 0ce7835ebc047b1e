import { Agent, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { closing } from '@holdfast/testkit/closing';
import { expect, it } from '@jest/globals';
import { stackOfTests } from '../../stack/stackOfTests.ts';
import { settingsFor, startUpstream, upstreamModels } from './upstream.ts';

const count = 5000;
const width = 16;
const withinMs = 10_000;

const upstream = closing(await startUpstream());
const stack = await stackOfTests(settingsFor(upstream), upstreamModels);
const customer = await stack.newCustomer();
const { apiKey } = customer;
const upload = { filename: 'a.csv', purpose: 'user_data', bytes: 9, mime_type: 'text/csv' };
const uploadId = String((await customer.api.post('/v1/openai/uploads', upload)).body.id);
const agent = closing(
  new (class extends Agent {
    close() {
      this.destroy();
    }
  })({ keepAlive: true, maxSockets: width }),
);

/** `FUZZ_SEED` repeats a run. */
const seed = Number(process.env['FUZZ_SEED'] ?? Date.now() % 2 ** 31);

/** Numbers in [0, 1) that follow from a seed (mulberry32). */
function randomFrom(start: number): () => number {
  let state = start;
  return () => {
    state = (state + 0x6d_2b_79_f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

type Sent = { method: string; path: string; headers: Record<string, string>; body: string };

const models = [
  'gpt-4o-mini',
  'sandbox-text',
  'embedder',
  'speaker',
  'moderator',
  'film',
  'sandbox-moderation',
  'whisper-1',
  'gpt-image-1',
  'gpt-image-1-edit',
];
const paths = [
  'chat/completions',
  'completions',
  'responses',
  'embeddings',
  'images/generations',
  'images/edits',
  'images/variations',
  'audio/speech',
  'audio/transcriptions',
  'audio/translations',
  'videos',
  'moderations',
  'models',
  'files',
  'uploads',
  'batches',
  'assistants',
  'threads/x/runs',
];
const fields = [
  'messages',
  'input',
  'prompt',
  'stream',
  'stream_options',
  'n',
  'tools',
  'tool_choice',
  'response_format',
  'max_tokens',
  'max_completion_tokens',
  'temperature',
  'background',
  'previous_response_id',
  'instructions',
  'metadata',
  'text',
  'encoding_format',
  'dimensions',
  'size',
  'quality',
  'image',
  'mask',
  'voice',
  'file',
  'seconds',
  'input_reference',
  'data',
  'bytes',
  'filename',
  'purpose',
  'part_ids',
  'user',
  'stop',
  'seed',
  '__proto__',
  'constructor',
];
const types = [
  'application/json',
  'application/json',
  'application/json',
  'application/json; charset=utf-16',
  'multipart/form-data',
  'multipart/form-data; boundary=b',
  'text/plain',
  'application/x-www-form-urlencoded',
  'image/png',
  '',
];

/** A request that is wrong somewhere, or everywhere; a few are right. */
function rubbish(random: () => number): Sent {
  const upTo = (most: number) => Math.floor(random() * most);
  const one = <Value>(values: readonly Value[]) => values[upTo(values.length)] as Value;
  const noise = () => Array.from({ length: upTo(30) }, () => String.fromCharCode(upTo(0xff_ff))).join('');
  const nested = (depth: number): string => `${'['.repeat(depth)}${']'.repeat(depth)}`;

  function value(depth = 0): unknown {
    const plain = [
      null,
      true,
      false,
      0,
      -1,
      1e308,
      Number.MAX_SAFE_INTEGER + 2,
      0.1,
      '',
      'x',
      'true',
      '\u0000',
      '\ud800',
      noise(),
      'data:image/png;base64,!!!!',
      'https://[::1',
      'http://127.0.0.1:1/a',
      'file_00000000000000000000000000',
      'x'.repeat(upTo(20_000)),
    ];
    if (depth > 4 || random() < 0.6) return one(plain);
    const items = Array.from({ length: upTo(5) }, () => value(depth + 1));
    if (random() < 0.5) return items;
    const names = ['role', 'content', 'type', 'text', 'image_url', 'url', 'function', 'name', ...fields];
    return Object.fromEntries(items.map((item) => [one(names), item]));
  }
  const message = () => ({
    role: random() < 0.8 ? 'user' : value(),
    content:
      random() < 0.6
        ? noise()
        : [{ type: one(['text', 'image_url', 'x']), text: value(), image_url: value() }],
  });

  /** A chat, a response or an embedding that works at the right path, often with a wrong field. */
  const nearlyRight = () => ({
    model: one(models),
    messages: [{ role: 'user', content: noise() }],
    input: `a ${noise()}`,
    prompt: `a ${noise()}`,
    ...(random() < 0.5 && { [one(fields)]: value() }),
  });
  function json(): string {
    const named = Array.from({ length: upTo(6) }, () => [one(fields), value()] as const);
    const body = {
      model: random() < 0.85 ? one(models) : value(),
      ...(random() < 0.5 && { messages: Array.from({ length: upTo(4) }, message) }),
      ...(random() < 0.5 && { input: noise(), prompt: noise() }),
      ...Object.fromEntries(named),
    };
    const whole = JSON.stringify(random() < 0.25 ? nearlyRight() : body);
    const kind = random();
    if (kind < 0.75) return whole;
    if (kind < 0.8) return whole.slice(0, upTo(whole.length));
    if (kind < 0.85) return `{"model":"gpt-4o-mini","messages":${nested(upTo(20_000))}}`;
    if (kind < 0.9) return `{"model":"gpt-4o-mini","n":1${'0'.repeat(upTo(500))},"prompt":"a","input":"a"}`;
    return one(['', 'null', '[]', '"x"', '{', noise(), nested(5), '{"model":', '1e999', '\ufeff{}']);
  }
  function form(): string {
    const parts = ['model', one(fields), one(fields)].map((name, index) => {
      const file =
        random() < 0.4 ? `; filename="${one(['a.png', '../a', ''])}"\r\nContent-Type: ${one(types)}` : '';
      const content = index === 0 ? one(models) : String(value());
      return `--b\r\nContent-Disposition: form-data; name="${name}"${file}\r\n\r\n${content}\r\n`;
    });
    return `${parts.join('')}${one(['--b--\r\n', '--b--', '', '--b\r\n'])}`;
  }
  const id = () =>
    one([
      'resp_none',
      'video_',
      uploadId,
      '%00',
      '%ff',
      '..%2f..',
      'a%2Fb',
      `resp_${'0'.repeat(26)}`,
      'x'.repeat(300),
    ]);
  const query = () =>
    Array.from(
      { length: upTo(4) },
      () =>
        `${one(['stream', 'starting_after', 'after', 'limit', 'order', 'include[]', 'variant', 'x'])}=${one(['true', '-1', '1e9', '99999999999999999999', '', '%00', '%', 'desc', id()])}`,
    ).join('&');
  const tail =
    random() < 0.3
      ? `/${id()}${one(['', '/cancel', '/content', '/input_items', '/remix', '/parts', '/complete'])}`
      : '';
  const isForm = random() < 0.2;
  const type =
    random() < 0.7 ? (isForm ? 'multipart/form-data; boundary=b' : 'application/json') : one(types);
  return {
    method: random() < 0.75 ? 'POST' : one(['GET', 'DELETE', 'PUT', 'PATCH', 'HEAD', 'OPTIONS']),
    path: `/v1/openai/${one(paths)}${tail}${random() < 0.3 ? `?${query()}` : ''}`,
    headers: {
      authorization: random() < 0.97 ? `Bearer ${apiKey}` : one(['', 'Bearer x', 'Basic eA==']),
      ...(type !== '' && { 'content-type': type }),
      ...(random() < 0.1 && { 'x-stainless-retry-count': one(['1', '-1', 'x', '99']) }),
      ...(random() < 0.05 && { 'idempotency-key': one(['', 'a b', 'x'.repeat(300), 'k']) }),
    },
    body: isForm ? form() : json(),
  };
}

async function send({ method, path, headers, body }: Sent) {
  const hasBody = !['GET', 'HEAD', 'OPTIONS'].includes(method);
  const bytes = Buffer.from(hasBody ? body : '');
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const length = hasBody ? { 'content-length': bytes.length } : {};
    const signal = AbortSignal.timeout(withinMs);
    request(`${stack.baseUrl}${path}`, { method, agent, headers: { ...headers, ...length }, signal }, resolve)
      .on('error', reject)
      .end(bytes);
  });
  return { status: response.statusCode ?? 0, text: await text(response) };
}

/** Null if the response is as OpenAI's would be. */
function problemOf(method: string, response: Awaited<ReturnType<typeof send>>): string | null {
  if (response.status >= 500) return `${response.status}: ${response.text.slice(0, 500)}`;
  if (response.status < 400 || method === 'HEAD') return null;
  try {
    const { error } = JSON.parse(response.text) as { error: Record<string, unknown> };
    const { message, type, param, code } = error;
    const isShaped =
      typeof message === 'string' &&
      typeof type === 'string' &&
      [param, code].every((one) => one === null || typeof one === 'string');
    return isShaped ? null : `not in the shape of OpenAI: ${response.text.slice(0, 500)}`;
  } catch {
    return `${response.status} is no JSON: ${response.text.slice(0, 500)}`;
  }
}

it('answers rubbish within bounded time, by errors in the shape of OpenAI, and none of them its own', async () => {
  const problems: object[] = [];
  const statuses = new Map<number, number>();
  let next = 0;
  async function loop(): Promise<void> {
    while (next < count && problems.length < 10) {
      const index = next++;
      const sent = rubbish(randomFrom(seed + index));
      const response = await send(sent).catch((error: unknown) => ({ status: 599, text: String(error) }));
      statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
      const problem = problemOf(sent.method, response);
      if (problem) problems.push({ seed: seed + index, problem, ...sent, body: sent.body.slice(0, 500) });
    }
  }
  await Promise.all(Array.from({ length: width }, loop));
  console.info(`seed ${seed}: ${JSON.stringify([...statuses])}`);
  expect(problems).toEqual([]);
  // Some get through the checks.
  expect(statuses.get(200)).toBeGreaterThan(count / 200);
}, 240_000);
