import dns from 'node:dns';
import fs from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { S3Settings } from '../config.ts';
import { parseRange } from '../objectResponse.ts';
import { createS3Store } from './s3Store.ts';

/** The requests, as `METHOD host path`, without ports. */
const requests: string[] = [];
const ranges: string[] = [];

const content = Buffer.from('0123456789');

/** Has every bucket, and every object with ten bytes. Responds to a Range as in RFC 9110. */
const server = http.createServer((req, res) => {
  req.resume();
  if (silentFrom === 'the request') return;
  const path = req.url?.split('?')[0];
  requests.push(`${req.method} ${req.headers.host?.split(':')[0]} ${path}`);
  const range = parseRange(req.headers.range, content.length);
  if (range !== null && range !== 'unsatisfiable') {
    ranges.push(req.headers.range ?? '');
    const contentRange = `bytes ${range.start}-${range.end}/${content.length}`;
    res.writeHead(206, { 'content-range': contentRange });
    sendBody(res, content.subarray(range.start, range.end + 1));
    return;
  }
  const lastModified = new Date(0).toUTCString();
  res.writeHead(200, { 'content-length': content.length, etag: '"e"', 'last-modified': lastModified });
  if (req.method === 'HEAD') res.end();
  else sendBody(res, content);
});

function sendBody(res: http.ServerResponse, body: Buffer): void {
  if (silentFrom === 'the first byte') res.write(body.subarray(0, 1));
  else res.end(body);
}

let port: number;
let silentFrom: 'the request' | 'the first byte' | null = null;

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ({ port } = server.address() as AddressInfo);
  // Every name resolves to the server.
  const found = [{ address: '127.0.0.1', family: 4 }];
  jest.spyOn(dns, 'lookup').mockImplementation((...args: unknown[]) => {
    const response = args.at(-1) as (error: null, ...found: unknown[]) => void;
    const isAll = Object(args.at(-2)).all === true;
    process.nextTick(() => (isAll ? response(null, found) : response(null, '127.0.0.1', 4)));
  });
});
afterAll(() => {
  jest.restoreAllMocks();
  server.closeAllConnections();
  server.close();
});
beforeEach(() => {
  requests.length = 0;
  ranges.length = 0;
});

function open(style: S3Settings['style'], silence?: Parameters<typeof createS3Store>[1]) {
  const settings = {
    endpoint: `http://s3.test:${port}`,
    publicEndpoint: 'https://public.test',
    region: 'us-east-1',
    bucket: 'pictures',
    accessKey: 'access',
    secretKey: 'secret',
    ...(style ? { style } : {}),
  };
  return createS3Store(settings, silence);
}

/** Calls every method of a store and returns the first request of each. */
async function useAll(style: S3Settings['style']) {
  const store = open(style);
  await store.prepare();
  await store.put('a/b', Readable.from(['x']), { contentType: 'text/plain', sizeBytes: 1 });
  await store.stat('a/b');
  (await store.read('a/b')).destroy();
  await store.remove('a/b');
  const terms = { key: 'a/b', expiresInS: 60 };
  const upload = await store.presignUpload({ ...terms, contentType: 'text/plain', sizeBytes: 1 });
  const download = await store.presignDownload({ ...terms, filename: 'b', contentType: 'text/plain' });
  return [upload, download].map((url) => url.split('?')[0]);
}

describe('a server that does not respond', () => {
  const type = { contentType: 'text/plain' };
  beforeAll(() => {
    silentFrom = 'the request';
  });
  afterAll(() => {
    silentFrom = null;
  });

  it.each<[string, (store: ReturnType<typeof open>) => Promise<unknown>]>([
    ['a read', (store) => store.read('a/b')],
    ['a stat', (store) => store.stat('a/b')],
    ['a removal', (store) => store.remove('a/b')],
    ['a buffer to store', (store) => store.put('a/b', Buffer.from('x'), type)],
    ['a stream to store', (store) => store.put('a/b', Readable.from(['x']), { ...type, sizeBytes: 1 })],
    ['a copy', (store) => store.seal('a/b')],
  ])('fails %s', async (_, call) => {
    const store = open('path', { requestMs: 50, copyMs: 50 });
    await expect(call(store)).rejects.toMatchObject({
      name: 'StoreFailedError',
    });
  });
});

describe('the style of S3', () => {
  it.each([undefined, 'path'] as const)('%s: the bucket begins the path', async (style) => {
    expect(await useAll(style)).toEqual(Array(2).fill('https://public.test/pictures/a/b'));
    expect(requests).toEqual([
      'HEAD s3.test /pictures',
      'PUT s3.test /pictures/a/b',
      'HEAD s3.test /pictures/a/b',
      'GET s3.test /pictures/a/b',
      'DELETE s3.test /pictures/a/b',
    ]);
  });

  it('virtual: the bucket begins the host', async () => {
    expect(await useAll('virtual')).toEqual(Array(2).fill('https://pictures.public.test/a/b'));
    expect(requests).toEqual([
      'HEAD pictures.s3.test /',
      'PUT pictures.s3.test /a/b',
      'HEAD pictures.s3.test /a/b',
      'GET pictures.s3.test /a/b',
      'DELETE pictures.s3.test /a/b',
    ]);
  });
});

describe('storing in S3', () => {
  it('leaves no file behind when the process ends during a body of unknown length', async () => {
    const spooled = () => fs.readdirSync(tmpdir()).filter((name) => name.startsWith('holdfast-upload-'));
    const before = spooled();
    let during: string[] = [];
    async function* body() {
      yield Buffer.from('01234');
      during = spooled();
      yield Buffer.from('56789');
    }
    const stored = open('path').put('a/b', Readable.from(body()), { contentType: 'text/plain' });
    expect(await stored).toEqual({ sizeBytes: 10 });
    expect(during).toEqual(before);
  });

  it('fails with the error of a body that fails, which is not the failure of the store', async () => {
    const refused = Object.assign(new Error('too large'), { code: 'PAYLOAD_TOO_LARGE' });
    for (const sizeBytes of [undefined, 10]) {
      const body = new Readable({ read: () => body.destroy(refused) });
      const stored = open('path').put('a/b', body, { contentType: 'text/plain', sizeBytes });
      await expect(stored).rejects.toBe(refused);
    }
  });
});

describe('reading a part from S3', () => {
  it('requests the bytes from start to end, both inclusive', async () => {
    const store = open('path');
    expect((await buffer(await store.read('a/b', { start: 2, end: 4 }))).toString()).toBe('234');
    expect((await store.readRange('a/b', { start: 0, end: 0 })).toString()).toBe('0');
    expect(ranges).toEqual(['bytes=2-4', 'bytes=0-0']);
  });
});

describe('a server that falls silent after the first byte of a body', () => {
  beforeAll(() => {
    silentFrom = 'the first byte';
  });
  afterAll(() => {
    silentFrom = null;
  });

  it.each<[string, (store: ReturnType<typeof open>) => Promise<unknown>]>([
    ['head', (store) => store.readHead('a/b', 10)],
    ['range', (store) => store.readRange('a/b', { start: 0, end: 4 })],
  ])('fails a read of the %s', async (_, call) => {
    const store = open('path', { requestMs: 200, copyMs: 200 });
    await expect(call(store)).rejects.toMatchObject({ name: 'StoreFailedError' });
  });
});
