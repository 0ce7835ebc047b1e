import { randomBytes, randomUUID } from 'node:crypto';
import http from 'node:http';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { contradictsType } from '../contentTypes.ts';
import { ObjectNotFoundError, type ObjectStore } from '../store.ts';

export type Opened = { store: ObjectStore; close: () => Promise<void> };

/** `ranges: false` skips what needs Range, for a server with wrong responses to it. */
export type Abilities = { ranges: boolean };

/** The contract of every object store. Call it in a test file of the backend. */
export function describeObjectStore(name: string, open: () => Promise<Opened>, abilities: Abilities): void {
  describe(`object store: ${name}`, () => {
    let opened: Opened;
    let store: ObjectStore;
    beforeAll(async () => {
      opened = await open();
      store = opened.store;
      await store.prepare();
    });
    afterAll(() => opened.close());

    describeObjects(() => store);
    describeUploads(() => store);
    describeDownloads(() => store);
    (abilities.ranges ? describe : describe.skip)('ranges', () => describeRanges(() => store));
  });
}

const newKey = () => `org_a/file_${randomUUID()}`;
const text = { contentType: 'text/plain' };
const chunked = { 'transfer-encoding': 'chunked' };

async function contents(store: ObjectStore, key: string): Promise<string> {
  return (await buffer(await store.read(key))).toString();
}

function describeObjects(store: () => ObjectStore): void {
  it('can be prepared twice', async () => {
    await store().prepare();
  });

  it('returns a stored object and its head', async () => {
    const key = newKey();
    expect(await store().put(key, Buffer.from('0123456789'), text)).toEqual({ sizeBytes: 10 });
    expect(await store().stat(key)).toMatchObject({ sizeBytes: 10 });
    expect(await contents(store(), key)).toBe('0123456789');
    expect((await store().readHead(key, 4)).toString()).toBe('0123');
    expect((await store().readHead(key, 4100)).toString()).toBe('0123456789');
  });

  it.each([undefined, 18 * 1024 * 1024])('stores a large stream (length given: %s)', async (sizeBytes) => {
    const key = newKey();
    const bytes = randomBytes(18 * 1024 * 1024);
    const chunks = Array.from({ length: 18 }, (_, i) => bytes.subarray(i << 20, (i + 1) << 20));
    const options = sizeBytes === undefined ? text : { ...text, sizeBytes };
    expect(await store().put(key, Readable.from(chunks), options)).toEqual({ sizeBytes: bytes.length });
    expect((await buffer(await store().read(key))).equals(bytes)).toBe(true);
  });

  it.each([5, 7])(
    'stores nothing of a stream of six bytes that was declared to have %s',
    async (sizeBytes) => {
      const key = newKey();
      const body = Readable.from([Buffer.from('abc'), Buffer.from('def')]);
      await expect(store().put(key, body, { ...text, sizeBytes })).rejects.toThrow(`not ${sizeBytes} bytes`);
      expect(await store().stat(key)).toBeNull();
    },
  );

  it('stores a stream of known length, and an empty one', async () => {
    const key = newKey();
    await store().put(key, Readable.from([Buffer.from('abc'), Buffer.from('def')]), {
      ...text,
      sizeBytes: 6,
    });
    expect(await contents(store(), key)).toBe('abcdef');
    await store().put(key, Buffer.alloc(0), text);
    expect(await store().stat(key)).toMatchObject({ sizeBytes: 0 });
    expect((await store().readHead(key, 10)).length).toBe(0);
  });

  it.each([undefined, 1_000_000])(
    'a stream that fails leaves nothing (length given: %s)',
    async (sizeBytes) => {
      const key = newKey();
      const failing = Readable.from(
        (async function* () {
          yield Buffer.alloc(1000);
          throw new Error('the source broke');
        })(),
      );
      await expect(
        store().put(key, failing, sizeBytes === undefined ? text : { ...text, sizeBytes }),
      ).rejects.toThrow('the source broke');
      expect(await store().stat(key)).toBeNull();
    },
  );

  it('reports a missing object', async () => {
    expect(await store().stat(newKey())).toBeNull();
    await expect(store().read(newKey())).rejects.toBeInstanceOf(ObjectNotFoundError);
    await expect(store().readHead(newKey(), 10)).rejects.toBeInstanceOf(ObjectNotFoundError);
    await expect(store().readRange(newKey(), { start: 0, end: 1 })).rejects.toBeInstanceOf(
      ObjectNotFoundError,
    );
  });

  it('removes an object, and removes it twice without an error', async () => {
    const key = newKey();
    await store().put(key, Buffer.from('x'), text);
    await store().remove(key);
    expect(await store().stat(key)).toBeNull();
    await store().remove(key);
  });

  it.each(['../escape', '/etc/passwd', 'a//b', 'a/../b', '', 'a\0b', 'ä', 'x'.repeat(201)])(
    'refuses the key %j',
    async (key) => {
      await expect(store().put(key, Buffer.from('x'), text)).rejects.toThrow('not an object key');
      await expect(store().read(key)).rejects.toThrow('not an object key');
      const terms = { key, contentType: null, sizeBytes: null, expiresInS: 60 };
      await expect(store().presignUpload(terms)).rejects.toThrow('not an object key');
    },
  );
}

function describeUploads(store: () => ObjectStore): void {
  const image = { contentType: 'image/png', sizeBytes: 4, expiresInS: 60 };
  const type = { 'content-type': 'image/png' };

  it.each([{}, type, { 'content-type': 'IMAGE/PNG; q=1' }, { 'content-type': 'application/octet-stream' }])(
    'takes an upload of the size that was signed with the headers %j',
    async (headers) => {
      const key = newKey();
      expect(await put(await store().presignUpload({ key, ...image }), 'data', headers)).toBe(200);
      expect(await contents(store(), key)).toBe('data');
      expect(contradictsType((await store().stat(key))?.contentType, image.contentType)).toBe(false);
    },
  );

  it('accepts any type and size when none is bound', async () => {
    const key = newKey();
    const url = await store().presignUpload({ key, contentType: null, sizeBytes: null, expiresInS: 60 });
    expect(await put(url, 'anything', { 'content-type': 'application/x-whatever' })).toBe(200);
    expect(await contents(store(), key)).toBe('anything');
  });

  it('refuses an upload of another type than declared, or returns its type', async () => {
    const key = newKey();
    const url = await store().presignUpload({ key, ...image });
    const status = await put(url, 'data', { 'content-type': 'text/html' });
    const stored = await store().stat(key);
    if (isClientError(status)) expect(stored).toBeNull();
    else expect(stored).toEqual({ sizeBytes: 4, contentType: 'text/html' });
  });

  it.each([
    ['is too long', 'datadata', type],
    ['is too short', 'dat', type],
    ['is too long and says no length', 'datadata', { ...chunked, ...type }],
    ['is too short and says no length', 'dat', { ...chunked, ...type }],
  ])('refuses an upload that %s, and stores nothing', async (_case, body, headers) => {
    const key = newKey();
    const url = await store().presignUpload({ key, ...image });
    expect(isClientError(await put(url, body, headers))).toBe(true);
    expect(await store().stat(key)).toBeNull();
  });

  it('refuses an upload whose URL was changed or has expired', async () => {
    const [key, other] = [newKey(), newKey()];
    const url = await store().presignUpload({ key, ...image });
    expect(await put(url.replace(key, other), 'data', type)).toBe(403);
    expect(
      await put(
        url.replace(/(signature=)(.)/i, (_all, name, c) => name + (c === '0' ? '1' : '0')),
        'data',
        type,
      ),
    ).toBe(403);
    expect(await put(prolonged(url), 'data', type)).toBe(403);
    expect(await store().stat(key)).toBeNull();
    const short = await store().presignUpload({ key, ...image, expiresInS: 1 });
    expect(await isSoonRefused(() => put(short, 'data', type))).toBe(true);
    expect(await store().stat(other)).toBeNull();
  });

  it('keeps a sealed object when the upload URL is used again', async () => {
    const key = newKey();
    const url = await store().presignUpload({ key, ...image });
    expect(await put(url, 'data', type)).toBe(200);
    const sealed = await store().seal(key, 'txt');
    expect(sealed).toMatch(/\.txt$/);
    const opened = { key: sealed, filename: 'a b.txt', contentType: 'text/plain', expiresInS: 60 };
    expect(new URL(await store().presignDownload(opened)).pathname).toMatch(/\.txt$/);
    expect(await put(url, 'DATA', type)).toBe(200);
    expect(await contents(store(), sealed)).toBe('data');
    expect(await contents(store(), key)).toBe('DATA');
    await store().remove(key);
    expect(await contents(store(), sealed)).toBe('data');
    await expect(store().seal(key)).rejects.toBeInstanceOf(ObjectNotFoundError);
  });

  it('refuses a download by an upload URL and an upload by a download URL', async () => {
    const key = newKey();
    await store().put(key, Buffer.from('data'), text);
    const url = await store().presignUpload({ key, ...image });
    expect(await statusOf(url)).toBe(403);
    const download = await store().presignDownload({
      key,
      filename: 'a',
      contentType: 'text/plain',
      expiresInS: 60,
    });
    expect(await put(download, 'over')).toBe(403);
    for (const signed of [url, download]) {
      expect(isClientError(await statusOf(signed, { method: 'DELETE' }))).toBe(true);
    }
    expect(await contents(store(), key)).toBe('data');
  });
}

function describeDownloads(store: () => ObjectStore): void {
  it('sends a download as an attachment of the signed name and type', async () => {
    const key = newKey();
    await store().put(key, Buffer.from('0123456789'), { contentType: 'application/octet-stream' });
    const url = await store().presignDownload({
      key,
      filename: 'naïve "a".png',
      contentType: 'image/png',
      expiresInS: 60,
    });
    const whole = await fetch(url);
    expect([whole.status, await whole.text()]).toEqual([200, '0123456789']);
    expect(whole.headers.get('content-type')).toBe('image/png');
    expect(whole.headers.get('content-disposition')).toBe(
      `attachment; filename="na_ve _a_.png"; filename*=UTF-8''na%C3%AFve%20%22a%22.png`,
    );
  });

  it('refuses a download URL that was changed or has expired', async () => {
    const [key, other] = [newKey(), newKey()];
    await store().put(key, Buffer.from('x'), text);
    await store().put(other, Buffer.from('secret'), text);
    const terms = { key, filename: 'a.txt', contentType: 'text/plain', expiresInS: 60 };
    const url = await store().presignDownload(terms);
    for (const changed of [url.replace('a.txt', 'b.exe'), url.replace(key, other), prolonged(url)]) {
      expect(changed).not.toBe(url);
      expect(await statusOf(changed)).toBe(403);
    }
    const short = await store().presignDownload({ ...terms, expiresInS: 1 });
    expect(await isSoonRefused(() => statusOf(short))).toBe(true);
  });
}

function describeRanges(store: () => ObjectStore): void {
  it('reads a part from start to end, both inclusive', async () => {
    const key = newKey();
    await store().put(key, Buffer.from('0123456789'), text);
    expect((await buffer(await store().read(key, { start: 2, end: 4 }))).toString()).toBe('234');
    expect((await store().readRange(key, { start: 9, end: 9 })).toString()).toBe('9');
  });

  it('responds to a Range with 206, or 416 beyond the end', async () => {
    const key = newKey();
    await store().put(key, Buffer.from('0123456789'), text);
    const url = await store().presignDownload({
      key,
      filename: 'a',
      contentType: 'text/plain',
      expiresInS: 60,
    });
    const part = await fetch(url, { headers: { range: 'bytes=3-5' } });
    expect([part.status, await part.text()]).toEqual([206, '345']);
    expect(part.headers.get('content-range')).toBe('bytes 3-5/10');
    expect(await statusOf(url, { headers: { range: 'bytes=50-' } })).toBe(416);
  });
}

const isClientError = (status: number) => status >= 400 && status < 500;

/** Reads the whole response, which frees the connection. */
async function statusOf(url: string, init: RequestInit = {}): Promise<number> {
  const response = await fetch(url, init);
  await response.arrayBuffer();
  return response.status;
}

/** The URL with ten times its lifetime, for both backends. */
const prolonged = (url: string) => url.replace(/(expires=\d+)/i, '$10');

/** Repeats the request until the URL has expired. */
async function isSoonRefused(request: () => Promise<number>): Promise<boolean> {
  const endMs = Date.now() + 10_000;
  while (Date.now() < endMs) {
    if (isClientError(await request())) return true;
  }
  return false;
}

/** Unlike `fetch` it can send a Content-Length of its own. */
function put(url: string, body: string, headers: Record<string, string> = {}): Promise<number> {
  return new Promise((resolve, reject) => {
    const isChunked = 'transfer-encoding' in headers;
    const length = isChunked ? {} : { 'content-length': String(Buffer.byteLength(body)) };
    const request = http.request(url, { method: 'PUT', headers: { ...headers, ...length } }, (response) => {
      response.resume();
      response.on('end', () => resolve(response.statusCode ?? 0));
    });
    request.on('error', reject);
    request.end(body);
  });
}
