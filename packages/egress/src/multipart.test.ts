import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from '@jest/globals';
import { type FormPart, multipart } from './multipart.ts';
import { startTestServer } from './testing/servers.ts';
import { createTrustedHttp } from './trusted.ts';

const open: { close(): unknown }[] = [];

afterEach(async () => {
  await Promise.all(open.splice(0).map((resource) => resource.close()));
});

async function connect(handler: RequestListener) {
  const server = await startTestServer(handler);
  const client = createTrustedHttp({ baseUrl: server.url });
  open.push(server, client);
  return client;
}

const file = (content: Iterable<Buffer> | AsyncIterable<Buffer>, sizeBytes: number): FormPart => ({
  name: 'image',
  filename: 'a "fox"\r\n.png',
  contentType: 'image/png\r\nx: y',
  sizeBytes,
  open: async () => Readable.from(content),
});

/** The form as an independent server reads it. */
async function readForm(request: IncomingMessage): Promise<[string, string][]> {
  const headers = { 'content-type': request.headers['content-type'] ?? '' };
  const form = await new Response(Readable.toWeb(request) as ReadableStream, { headers }).formData();
  const entries = [...form.entries()].map(
    async ([name, value]): Promise<[string, string]> => [
      name,
      typeof value === 'string' ? value : `${value.name} ${value.type} ${await value.text()}`,
    ],
  );
  return Promise.all(entries);
}

const echo = async (request: IncomingMessage, response: ServerResponse) => {
  const { 'content-length': length } = request.headers;
  response.end(JSON.stringify({ length, form: await readForm(request) }));
};

describe('a multipart body', () => {
  it('arrives unchanged, with a Content-Length', async () => {
    const client = await connect((request, response) => void echo(request, response));
    const parts: FormPart[] = [
      { name: 'prompt', value: 'größer\r\n--x' },
      file([Buffer.from('by'), Buffer.from('tes')], 5),
    ];
    const body = multipart(parts);
    const written = await text(body.open());
    expect(Buffer.byteLength(written)).toBe(body.sizeBytes);
    const result = await client.request('POST', 'x', { body });
    expect(result).toMatchObject({ ok: true, json: { length: String(body.sizeBytes) } });
    expect(result.ok && (result.json as { form: unknown }).form).toEqual([
      ['prompt', 'größer\r\n--x'],
      ['image', 'a "fox"\r\n.png image/pngx: y bytes'],
    ]);
  });

  it('is never in memory as a whole', async () => {
    const chunk = Buffer.alloc(64 * 1024);
    let ahead = 0;
    let furthest = 0;
    let arrived = 0;
    const client = await connect((request, response) => {
      request.on('data', (data: Buffer) => {
        arrived += data.length;
      });
      request.on('end', () => response.end());
    });
    const source = async function* () {
      for (let sent = 0; sent < 1600; sent++) {
        ahead = sent * chunk.length - arrived;
        furthest = Math.max(furthest, ahead);
        yield chunk;
      }
    };
    const body = multipart([file(source(), 1600 * chunk.length)]);
    expect(await client.request('POST', 'x', { body })).toMatchObject({ ok: true });
    expect(arrived).toBe(body.sizeBytes);
    expect(furthest).toBeLessThan(16 * 1024 * 1024);
  });

  it.each([
    ['is longer than declared', file([Buffer.from('bytes')], 4)],
    ['is shorter', file([Buffer.from('bytes')], 6)],
    ['can not be opened', { ...file([], 1), open: () => Promise.reject(new Error('gone')) }],
    ['breaks off', file(brokenOff(), 1_000_000)],
  ])('reports the peer as not reached when a file %s', async (_, part) => {
    let whole = 0;
    const client = await connect((request, response) => {
      request.resume();
      request.on('error', () => {});
      request.on('end', () => {
        whole += 1;
        response.end();
      });
    });
    expect(await client.request('POST', 'x', { body: multipart([part]) })).toMatchObject({
      ok: false,
      reached: 'no',
      code: 'ERR_BODY_UNREADABLE',
    });
    expect(whole).toBe(0);
  });

  it('returns an early refusal of the server and does not reuse the connection', async () => {
    const client = await connect((request, response) => {
      if (request.url === '/large') response.writeHead(413).end('too large');
      else response.end('fine');
    });
    const endless = async function* () {
      for (;;) yield Buffer.alloc(64 * 1024);
    };
    const body = multipart([file(endless(), 1e12)]);
    expect(await client.request('POST', 'large', { body })).toMatchObject({ ok: true, status: 413 });
    expect(await client.request('GET', 'x')).toMatchObject({ ok: true, bodyText: 'fine' });
  });

  it('closes the file when the request ends early', async () => {
    const source = new Readable({ read() {} });
    const closed = new Promise((resolve) => source.once('close', resolve));
    source.push(Buffer.alloc(10));
    const abort = new AbortController();
    const client = await connect(() => abort.abort());
    const part = { ...file([], 100), open: async () => source };
    const result = client.request('POST', 'x', { body: multipart([part]), signal: abort.signal });
    expect(await result).toMatchObject({ ok: false, reason: 'aborted' });
    await closed;
  });
});

async function* brokenOff(): AsyncGenerator<Buffer> {
  yield Buffer.alloc(1000);
  throw new Error('the store is unavailable');
}
