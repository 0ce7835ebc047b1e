import { randomBytes } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import http from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { DiskSettings } from '../config.ts';
import { startDiskServer } from '../testing/diskServer.ts';
import { createDiskStore } from './diskStore.ts';

let settings: DiskSettings;
let close: () => Promise<void>;

beforeAll(async () => {
  ({ settings, close } = await startDiskServer());
  await createDiskStore(settings).prepare();
});
afterAll(() => close());

const terms = { contentType: 'image/png', sizeBytes: 1000, expiresInS: 60 };
const type = { 'content-type': 'image/png' };

async function uploadUrl(key: string, bound: Partial<typeof terms> = {}): Promise<string> {
  return await createDiskStore(settings).presignUpload({ key, ...terms, ...bound });
}

type Reply = { status: number; body: string };

/** Sends chunks without a Content-Length unless one is given. */
function send(url: string, chunks: Buffer[], headers: Record<string, string> = type): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const request = http.request(url, { method: 'PUT', headers }, (response) => {
      let body = '';
      response.setEncoding('utf8');
      response.on('data', (chunk) => {
        body += chunk;
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body }));
    });
    request.on('error', reject);
    for (const chunk of chunks) request.write(chunk);
    request.end();
  });
}

const reply = (status: number, code: string) => ({ status, body: JSON.stringify({ code }) });

describe('PUT /storage', () => {
  it('counts a body without a declared length: more is 413, less is 400, the exact size is 200', async () => {
    const exact = [randomBytes(500), randomBytes(500)];
    expect(await send(await uploadUrl('n/exact'), exact)).toMatchObject({ status: 200 });
    expect(await send(await uploadUrl('n/more'), [...exact, randomBytes(1)])).toEqual(
      reply(413, 'PAYLOAD_TOO_LARGE'),
    );
    expect(await send(await uploadUrl('n/less'), [randomBytes(999)])).toEqual(
      reply(400, 'INPUT_VALIDATION_ERROR'),
    );
    expect(await createDiskStore(settings).stat('n/more')).toBeNull();
    expect(await createDiskStore(settings).stat('n/less')).toBeNull();
  });

  it('responds with the refusal to a client that sends megabytes', async () => {
    const chunks = Array.from({ length: 20 }, () => randomBytes(1 << 20));
    expect(await send(await uploadUrl('n/huge'), chunks)).toEqual(reply(413, 'PAYLOAD_TOO_LARGE'));
    const forged = `${settings.publicUrl}/storage/n/forged?expires=99999999999&signature=00`;
    expect(await send(forged, chunks)).toEqual(reply(403, 'FORBIDDEN'));
  });

  it('refuses to replace a checked file with 403', async () => {
    await createDiskStore(settings).put('n/checked', Buffer.from('first'), { contentType: 'text/plain' });
    expect(await send(await uploadUrl('n/checked'), [randomBytes(1000)])).toEqual(reply(403, 'FORBIDDEN'));
    expect(await createDiskStore(settings).stat('n/checked')).toMatchObject({ sizeBytes: 5 });
  });

  it('refuses another type with 415', async () => {
    const url = await uploadUrl('n/type');
    for (const other of ['text/html', 'image/jpeg', 'image/', 'application/x-www-form-urlencoded']) {
      expect(await send(url, [randomBytes(1000)], { 'content-type': other })).toEqual(
        reply(415, 'UNSUPPORTED_MEDIA_TYPE'),
      );
    }
    expect(await createDiskStore(settings).stat('n/type')).toBeNull();
  });

  it.each([
    ['image/png', undefined],
    ['image/png', ''],
    ['image/png', 'Image/PNG; q=1'],
    ['image/png', 'application/octet-stream'],
    ['image/jpeg', 'image/jpg'],
    ['audio/mpeg', 'Audio/MP3'],
    ['audio/x-wav', 'audio/wav'],
  ])('accepts for the declared type %s the Content-Type %s', async (contentType, given) => {
    const url = await uploadUrl('n/named', { contentType });
    const headers: Record<string, string> = given === undefined ? {} : { 'content-type': given };
    expect(await send(url, [randomBytes(1000)], headers)).toMatchObject({ status: 200 });
  });

  it('leaves not even a temporary file of an aborted upload', async () => {
    const incoming = join(settings.path, '.incoming');
    const url = await uploadUrl('n/broken');
    await new Promise<void>((resolve) => {
      const request = http.request(url, { method: 'PUT', headers: { ...type, 'content-length': '1000' } });
      request.on('error', () => resolve());
      request.write(randomBytes(500));
      void until(async () => (await readdir(incoming)).length === 1).finally(() =>
        request.destroy(new Error('gone')),
      );
    });
    await until(async () => (await readdir(incoming)).length === 0);
    expect(await createDiskStore(settings).stat('n/broken')).toBeNull();
  });
});

describe('GET /storage', () => {
  it('responds to HEAD with the headers only', async () => {
    const store = createDiskStore(settings);
    await store.put('n/head', Buffer.from('12345'), { contentType: 'text/plain' });
    const url = await store.presignDownload({
      key: 'n/head',
      filename: 'a',
      contentType: 'text/plain',
      expiresInS: 60,
    });
    const response = await fetch(url, { method: 'HEAD' });
    expect([response.status, response.headers.get('content-length'), await response.text()]).toEqual([
      200,
      '5',
      '',
    ]);
  });

  it('responds with 404 when the object is gone', async () => {
    const store = createDiskStore(settings);
    const url = await store.presignDownload({
      key: 'n/none',
      filename: 'a',
      contentType: 'text/plain',
      expiresInS: 60,
    });
    const response = await fetch(url);
    expect([response.status, await response.json()]).toEqual([404, { code: 'NOT_FOUND' }]);
  });
});

async function until(isDone: () => Promise<boolean>): Promise<void> {
  const endMs = Date.now() + 30_000;
  while (!(await isDone())) {
    if (Date.now() > endMs) throw new Error('waited in vain');
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
