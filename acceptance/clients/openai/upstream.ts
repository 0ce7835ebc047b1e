import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { ModelFile } from '@holdfast/domain/modelDefinition';
import { mp4 } from '@holdfast/files/testing/media';

type Message = { role: string; content: unknown };
type Asked = {
  messages?: Message[];
  stream?: boolean;
  tools?: { function: { name: string } }[];
  response_format?: { type: string };
  input?: unknown;
  prompt?: unknown;
};

const png =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';
const mp3 = Buffer.concat([Buffer.from('ID3\x04\x00\x00', 'latin1'), Buffer.alloc(2994)]);
const usage = { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 };
const person = { name: 'Ada', age: 36 };
const pieceMs = 5;

/** A server of OpenAI's API that counts what it runs by the last message or the prompt. It fails a chat or a film that begins with `fail`. */
export async function startUpstream(port = 0) {
  const prompts: string[] = [];
  const server = createServer((request, response) => {
    respond(request, response, prompts).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    prompts,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** The settings of a gateway whose models run there. */
export const settingsFor = ({ url }: { url: string }) => ({
  COMPATIBLE_APIS: 'openai',
  OPENAI_BASE_URL: url,
  OPENAI_API_KEY: 'sk-upstream',
  FILMS_BASE_URL: url,
});

async function respond(request: IncomingMessage, response: ServerResponse, prompts: string[]): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const body = Buffer.concat(chunks).toString('latin1');
  const isJson = request.headers['content-type']?.startsWith('application/json');
  const asked = (isJson ? JSON.parse(Buffer.concat(chunks).toString()) : {}) as Asked;
  const json = (value: object, status = 200) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
  const path = request.url?.replace('/v1', '');
  if (path === '/chat/completions') return await chat(asked, response, prompts);
  if (path === '/embeddings') {
    const texts = Array.isArray(asked.input) ? asked.input : [asked.input];
    const data = texts.map((_text, index) => ({
      object: 'embedding',
      index,
      embedding: [0.5, -0.25, index],
    }));
    return void json({ object: 'list', data, usage });
  }
  if (path === '/images/generations' || path === '/images/edits') {
    prompts.push(/name="prompt"\r\n\r\n([^\r]*)/.exec(body)?.[1] ?? String(asked.prompt));
    return void json({ created: 1, data: [{ b64_json: png }], usage: { input_tokens: 3, output_tokens: 4 } });
  }
  if (path === '/films') {
    prompts.push(String(asked.prompt));
    if (String(asked.prompt).startsWith('fail')) return void json({ error: 'no film' }, 400);
    return void json({ video: `data:video/mp4;base64,${mp4.toString('base64')}` });
  }
  if (path === '/moderations') {
    const categories = { violence: body.includes('fight') };
    const scores = { category_scores: { violence: 0.9 } };
    const results = [{ flagged: categories.violence, categories, ...scores }];
    return void json({ id: 'modr-upstream', model: 'upstream', results });
  }
  if (path === '/audio/speech')
    return void response.writeHead(200, { 'content-type': 'audio/mpeg' }).end(mp3);
  if (path === '/audio/transcriptions' || path === '/audio/translations') {
    const heard = path === '/audio/translations' ? 'hello, in English' : 'hello there';
    const text = body.includes('RIFF') ? heard : 'nothing';
    return void json({ text, duration: 0.5, language: 'en', segments: [{ start: 0, end: 0.5, text }] });
  }
  json({ error: { message: 'There is no such path.', type: 'invalid_request_error' } }, 404);
}

async function chat(asked: Asked, response: ServerResponse, prompts: string[]): Promise<void> {
  const text = textOf(asked.messages?.at(-1)?.content);
  prompts.push(text);
  if (text.startsWith('fail')) {
    const error = { message: 'Too long.', type: 'invalid_request_error', code: 'context_length_exceeded' };
    response.writeHead(400, { 'content-type': 'application/json' }).end(JSON.stringify({ error }));
    return;
  }
  const [tool] = asked.tools ?? [];
  const isAnswer = asked.messages?.at(-1)?.role === 'tool';
  const called = tool && !isAnswer ? tool.function.name : null;
  const args = JSON.stringify(called === 'weather' ? { city: 'Oslo' } : person);
  const wantsJson = asked.response_format?.type?.startsWith('json') === true;
  const content = wantsJson ? JSON.stringify(person) : `You said: ${text}. That is all.`;
  const calls = called && [
    { index: 0, id: 'call_1', type: 'function', function: { name: called, arguments: args } },
  ];
  const finish_reason = calls ? 'tool_calls' : 'stop';
  if (asked.stream !== true) {
    const message = {
      role: 'assistant',
      content: calls ? null : content,
      ...(calls && { tool_calls: calls }),
    };
    const body = { object: 'chat.completion', choices: [{ index: 0, message, finish_reason }], usage };
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    return;
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const send = (chunk: object) =>
    response.write(`data: ${JSON.stringify({ object: 'chat.completion.chunk', ...chunk })}\n\n`);
  const pieces = calls ? [] : (content.match(/\S+\s*/g) ?? []);
  send({ choices: [{ index: 0, delta: { role: 'assistant', ...(calls && { tool_calls: calls }) } }] });
  for (const piece of pieces) {
    await delay(pieceMs);
    send({ choices: [{ index: 0, delta: { content: piece } }] });
  }
  send({ choices: [{ index: 0, delta: {}, finish_reason }] });
  send({ choices: [], usage });
  response.end('data: [DONE]\n\n');
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  const parts = Array.isArray(content) ? (content as { text?: string }[]) : [];
  return parts.map(({ text = '' }) => text).join('');
}

const modelOf = (
  slug: string,
  options: Record<string, unknown>,
  properties: Record<string, object>,
  more: Pick<ModelFile, 'output'> & Partial<ModelFile>,
): ModelFile => ({
  slug,
  display_name: slug,
  input_schema: { type: 'object', additionalProperties: false, properties },
  price: { per_run: '0.01' },
  ...more,
  provider: { adapter: 'openai', connection: 'openai', model: 'upstream', options, ...more.provider },
});

const text = { type: 'string' };

/** Beside those of the catalogue. */
export const upstreamModels: ModelFile[] = [
  modelOf(
    'embedder',
    { endpoint: 'embeddings' },
    { input: {}, dimensions: { type: 'integer' } },
    { output: { kind: 'raw' } },
  ),
  modelOf(
    'speaker',
    { endpoint: 'speech' },
    { prompt: text, voice: text, response_format: text, speed: { type: 'number' } },
    { output: { kind: 'audios' } },
  ),
  {
    slug: 'film',
    provider: {
      adapter: 'http',
      connection: 'films',
      model: 'upstream',
      options: {
        path: '/films',
        body: { prompt: '{{input.prompt}}', from: '{{input.clip}}' },
        output: '/video',
      },
    },
    input_schema: {
      type: 'object',
      additionalProperties: false,
      required: ['prompt'],
      properties: {
        prompt: text,
        length: { type: 'integer' },
        clip: { type: 'string', format: 'file' },
      },
    },
    openai: { videos: { seconds: 'length', video: 'clip' } },
    price: { per_run: '0.01' },
    output: { kind: 'videos' },
  },
  modelOf('moderator', { endpoint: 'moderations' }, { input: {} }, { output: { kind: 'raw' } }),
];
