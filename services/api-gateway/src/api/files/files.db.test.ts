import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { type AddressInfo, connect } from 'node:net';
import { extname } from 'node:path';
import { text } from 'node:stream/consumers';
import { getFiles, listRemovableFiles } from '@holdfast/db/files';
import { newId } from '@holdfast/domain/ids';
import { adts, fixture, id3, wav } from '@holdfast/files/testing/media';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import request from 'supertest';
import { createApp } from '../../app.ts';
import { confirmFile, requireFiles } from '../../files/readyFiles.ts';
import { gatewayOfTests, startTestGateway, type TestGateway } from '../../testing/testGateway.ts';

const gateway = await gatewayOfTests();
const organizationId = await gateway.newOrganization();
const key = await gateway.newKey(organizationId, 'execution');

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const declared = { filename: 'photo.png', content_type: 'image/png', size_bytes: png.length };

const post = (path: string, as = key) => gateway.client(as).post(path);
const get = (path: string, as = key) => gateway.client(as).get(path);
const confirm = (id: string, as = key) => post('/v1/files/confirm', as).send({ file_id: id });

/** PUTs as a client that follows the URL, without a key. A `contentType` of '' sends no header. */
function put(url: string, bytes: Buffer, contentType = 'image/png') {
  const { pathname, search } = new URL(url);
  const sent = request(gateway.app).put(pathname + search);
  return (contentType === '' ? sent : sent.set('Content-Type', contentType)).send(bytes);
}

async function startUpload(body: object = declared): Promise<{ file_id: string; upload_url: string }> {
  return (await post('/v1/files/upload').send(body).expect(201)).body;
}

async function uploaded(bytes: Buffer = png, body: object = declared, type?: string): Promise<string> {
  const { file_id: id, upload_url: url } = await startUpload(body);
  await put(url, bytes, type).expect(200);
  return id;
}

describe('an upload', () => {
  it('is started, put, confirmed and downloaded', async () => {
    const started = await startUpload();
    expect(started).toEqual({
      file_id: expect.stringMatching(/^file_/),
      upload_url: expect.stringContaining('/storage/'),
      expires_at: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/),
    });
    await put(started.upload_url, png).expect(200);
    const { body: record } = await confirm(started.file_id).expect(200);
    expect(record).toMatchObject({
      file_id: started.file_id,
      filename: 'photo.png',
      content_type: 'image/png',
      size_bytes: png.length,
      status: 'ready',
      width: 1,
      height: 1,
      duration: null,
      expires_at: null,
    });
    expect((await get(`/v1/files/${started.file_id}`).expect(200)).body).toEqual(record);

    const download = await get(`/v1/files/${started.file_id}/download`).expect(200);
    expect(download.body).toEqual(png);
    expect(download.headers).toMatchObject({
      'content-type': 'image/png',
      'content-length': String(png.length),
      'accept-ranges': 'bytes',
      'x-content-type-options': 'nosniff',
    });
    expect(download.headers['content-disposition']).toMatch(/^attachment; filename="photo\.png"/);
  });

  it('may declare only its purpose: type, size and name come from the bytes', async () => {
    const body = { purpose: 'INPUT', region: 'EU', ttl_days: 2 };
    const id = await uploaded(png, body, 'application/octet-stream');
    const { body: record } = await confirm(id).expect(200);
    expect(record).toMatchObject({ content_type: 'image/png', size_bytes: png.length });
    expect(record.filename).toBe(`${id.slice(5)}.png`);
    expect(Date.parse(record.expires_at) - Date.parse(record.created_at)).toBe(2 * 86_400_000);

    const text = await uploaded(Buffer.from('a,b\n'), { purpose: 'UPLOAD' });
    expect((await confirm(text).expect(200)).body.content_type).toBe('text/plain');
    const unknown = await uploaded(Buffer.from([0, 1, 2, 3]), { purpose: 'UPLOAD' });
    expect((await confirm(unknown).expect(400)).body.error.code).toBe('FILE_FORMAT_UNSUPPORTED');
  });

  it.each([
    [{}, 'filename', 'REQUIRED'],
    [{ ...declared, size_bytes: 0 }, 'size_bytes', 'OUT_OF_RANGE'],
    [{ ...declared, size_bytes: 157_286_401 }, 'size_bytes', 'OUT_OF_RANGE'],
    [{ ...declared, size_bytes: '12' }, 'size_bytes', 'INVALID_TYPE'],
    [{ ...declared, content_type: 'text/html' }, 'content_type', 'UNSUPPORTED_FORMAT'],
    [{ ...declared, ttl_days: 366 }, 'ttl_days', 'OUT_OF_RANGE'],
    [{ ...declared, purpose: 'OTHER' }, 'purpose', 'INVALID_VALUE'],
    [{ ...declared, url: 'https://x' }, 'url', 'UNKNOWN_FIELD'],
  ])('as %j is refused', async (body, field, code) => {
    const refused = await post('/v1/files/upload').send(body).expect(400);
    expect(refused.body.error.code).toBe('INPUT_VALIDATION_ERROR');
    expect(refused.body.error.details[0]).toMatchObject({ field, code });
  });

  it('has at most 150 MB', async () => {
    await post('/v1/files/upload')
      .send({ ...declared, size_bytes: 157_286_400 })
      .expect(201);
  });

  it('has a meaningful name', async () => {
    const { body } = await post('/v1/files/upload')
      .send({ ...declared, filename: '' })
      .expect(400);
    expect(body.error.message).toBe('filename must not be empty.');
  });

  it('is ready with its dimensions after the PUT, without a confirmation or a Content-Type', async () => {
    const { file_id: id, upload_url: url } = await startUpload();
    expect((await get(`/v1/files/${id}`).expect(200)).body).toMatchObject({
      status: 'awaiting_upload',
      width: null,
    });
    await put(url, png, '').expect(200);
    const { body } = await get(`/v1/files/${id}`).expect(200);
    expect(body).toMatchObject({ status: 'ready', content_type: 'image/png', width: 1, height: 1 });
    expect((await confirm(id).expect(200)).body).toEqual(body);
  });

  it('of audio has a duration', async () => {
    const sound = Buffer.from(wav(12_000));
    const body = { filename: 'a.wav', content_type: 'audio/wav', size_bytes: sound.length };
    const id = await uploaded(sound, body, 'audio/wave');
    expect((await get(`/v1/files/${id}`).expect(200)).body).toMatchObject({ duration: 1.5, width: null });
  });

  it('is shown in its last known state while the store is unavailable', async () => {
    const id = await uploaded();
    const stat = () => Promise.reject(new Error('the store is unavailable'));
    const app = createApp({ ...gateway.context, store: { ...gateway.context.store, stat } });
    const { body } = await request(app).get(`/v1/files/${id}`).auth(key, { type: 'bearer' }).expect(200);
    expect(body.status).toBe('awaiting_upload');
  });

  it.each([
    ['IMAGE/PNG; name=x', 'image/png'],
    ['image/jpg', 'image/jpeg'],
    ['audio/mp3', 'audio/mpeg'],
  ])('of the type %s is stored as %s', async (contentType, stored) => {
    const { file_id: id } = await startUpload({ ...declared, content_type: contentType });
    expect((await get(`/v1/files/${id}`).expect(200)).body.content_type).toBe(stored);
  });

  it.each([
    ['rows.CSV', undefined, 'text/csv'],
    ['rows.jsonl', '', 'application/x-ndjson'],
    ['data.json', 'application/octet-stream', 'application/json'],
    ['README.md', 'text/markdown', 'text/markdown'],
    ['rows.csv', 'application/vnd.ms-excel', 'text/csv'],
    ['notes', undefined, 'text/plain'],
    ['subtitles.srt', undefined, 'text/plain'],
  ])('of text named %s and declared as %j is %s', async (filename, contentType, type) => {
    const bytes = Buffer.from('{"a": 1}\n');
    const body = { filename, size_bytes: bytes.length, content_type: contentType };
    const id = await uploaded(bytes, body, contentType);
    const name = filename.includes('.') ? filename : `${filename}.txt`;
    expect((await confirm(id).expect(200)).body).toMatchObject({ content_type: type, filename: name });
    // Models take the type of a file from the extension in its URL's path.
    const { body: download } = await get(`/v1/files/${id}/url`).expect(200);
    expect(extname(new URL(download.url).pathname)).toBe(extname(name).toLowerCase());
  });

  const zip = Buffer.from('#!/bin/sh\nPK\x03\x04PK\x05\x06'.padEnd(60, '\0'), 'latin1');
  it.each([
    ['a long ID3 tag', 'audio/aac', Buffer.concat([id3(300_000), adts(20)])],
    ['a prefix', 'application/zip', zip],
    ['its index at the end', 'image/tiff', fixture('image.tiff')],
  ])('with %s is judged by its bytes', async (_what, type, bytes) => {
    const id = await uploaded(bytes, { filename: 'a', size_bytes: bytes.length, content_type: type }, '');
    expect((await confirm(id).expect(200)).body.content_type).toBe(type);
  });

  it.each([
    ['image/png', png.subarray(0, -12)],
    ['image/jpeg', Buffer.from('ffd8ff', 'hex')],
    ['application/zip', Buffer.from('#!/bin/sh\n')],
  ])('that is cut off is no %s', async (type, bytes) => {
    const id = await uploaded(bytes, { filename: 'a', size_bytes: bytes.length, content_type: type }, '');
    const { body } = await confirm(id).expect(400);
    expect(body.error).toMatchObject({ code: 'FILE_FORMAT_UNSUPPORTED', details: [{ field: 'file_id' }] });
    const kept = await readdir(gateway.servers.folder, { recursive: true });
    expect(kept.filter((name) => name.includes(id))).toHaveLength(1);
  });

  it('as SVG is refused with the reason', async () => {
    const { body } = await post('/v1/files/upload').send({ ...declared, content_type: 'image/svg+xml' });
    expect(body.error.details).toMatchObject([{ field: 'content_type', code: 'UNSUPPORTED_FORMAT' }]);
    expect(body.error.message).toMatch(/SVG can contain scripts/);
  });

  it('is refused when a store accepted it with another type', async () => {
    const id = await uploaded();
    const { store, db } = gateway.context;
    const [file] = await getFiles(db, organizationId, [id]);
    if (!file) throw new Error('no file');
    const stat = async (key: string) => {
      const stored = await store.stat(key);
      return stored && { ...stored, contentType: 'text/html' };
    };
    const refused = await confirmFile({ db, store: { ...store, stat } }, organizationId, file);
    expect(refused).toMatchObject({ error: 'FILE_FORMAT_UNSUPPORTED', code: 'UNSUPPORTED_FORMAT' });
    await confirm(id).expect(200);
  });

  it('drops the path from its name', async () => {
    const { file_id: id } = await startUpload({ ...declared, filename: '../../etc/pa\r\nsswd.png' });
    expect((await get(`/v1/files/${id}`).expect(200)).body.filename).toBe('passwd.png');
  });

  it('of other bytes than declared is refused and can be repeated', async () => {
    const { file_id: id, upload_url: url } = await startUpload();
    expect((await confirm(id).expect(400)).body.error).toMatchObject({
      code: 'FILE_NOT_FOUND',
      details: [{ field: 'file_id', code: 'NOT_FOUND' }],
    });
    await put(url, Buffer.alloc(png.length, 'x')).expect(200);
    expect((await confirm(id).expect(400)).body.error).toMatchObject({
      code: 'FILE_FORMAT_UNSUPPORTED',
      details: [{ field: 'file_id', code: 'UNSUPPORTED_FORMAT' }],
    });
    expect((await get(`/v1/files/${id}`).expect(200)).body.status).toBe('awaiting_upload');
    await put(url, png).expect(200);
    await confirm(id).expect(200);
  });

  it('that was checked keeps its bytes while its URL is still valid', async () => {
    const { file_id: id, upload_url: url } = await startUpload();
    await put(url, png).expect(200);
    await put(url, png).expect(200);
    await confirm(id).expect(200);
    const refused = await put(url, Buffer.alloc(png.length, 'x')).expect(403);
    expect(refused.body.error.code).toBe('FORBIDDEN');
    expect((await get(`/v1/files/${id}/download`).expect(200)).body).toEqual(png);
  });

  it('that was checked keeps its bytes in a store that still accepts a PUT', async () => {
    const id = await uploaded();
    await confirm(id).expect(200);
    await gateway.context.store.put(id, Buffer.alloc(png.length, 'x'), { contentType: 'image/png' });
    expect((await get(`/v1/files/${id}/download`).expect(200)).body).toEqual(png);
  });

  it('that changes while it is checked is refused or keeps the checked bytes', async () => {
    const id = await uploaded();
    const { store } = gateway.context;
    const swap = () => store.put(id, Buffer.alloc(png.length, 'x'), { contentType: 'image/png' });
    const seal = async (key: string) => {
      await swap();
      return await store.seal(key);
    };
    const [file] = await getFiles(gateway.context.db, organizationId, [id]);
    if (!file) throw new Error('no file');
    const context = { db: gateway.context.db, store: { ...store, seal } };
    expect(await confirmFile(context, organizationId, file)).toMatchObject({ code: 'UNSUPPORTED_FORMAT' });
    expect((await get(`/v1/files/${id}`)).body.status).toBe('awaiting_upload');
  });

  it('that is confirmed concurrently is confirmed for all and stored once', async () => {
    const id = await uploaded();
    await Promise.all(Array.from({ length: 8 }, () => confirm(id).expect(200)));
    const kept = await readdir(gateway.servers.folder, { recursive: true });
    expect(kept.filter((name) => name.includes(id))).toHaveLength(1);
    expect((await get(`/v1/files/${id}/download`).expect(200)).body).toEqual(png);
  });

  it('of another size or type is refused by the PUT', async () => {
    const { upload_url: url } = await startUpload();
    await put(url, png.subarray(1)).expect(400);
    await put(url, Buffer.concat([png, png])).expect(413);
    const other = await put(url, png, 'image/jpeg').expect(415);
    expect(other.body.error.message).toMatch(/declared image\/png/);
    await put(url.replace(/signature=./, 'signature=g'), png).expect(403);
  });

  it('that is refused may be sent whole before its client reads the refusal and closes', async () => {
    const bytes = Buffer.alloc(20_000_000);
    const { upload_url: url } = await startUpload({ ...declared, size_bytes: bytes.length });
    const server = gateway.app.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
    const { pathname, search } = new URL(url);
    const head = [
      `PUT ${pathname}${search} HTTP/1.1`,
      'Host: x',
      'Connection: close',
      'Content-Type: text/html',
      `Content-Length: ${bytes.length}`,
    ];
    client.write(`${head.join('\r\n')}\r\n\r\n`);
    client.write(bytes);
    await once(client, 'drain');
    expect(await text(client)).toMatch(/^HTTP\/1.1 415 [^]*UNSUPPORTED_MEDIA_TYPE/);
    server.close();
    await once(server, 'close');
  });
});

describe('a download', () => {
  it('of an unconfirmed file checks it first', async () => {
    const id = await uploaded();
    await get(`/v1/files/${id}/download`).expect(200);
    expect((await get(`/v1/files/${id}`)).body.status).toBe('ready');
  });

  it('supports a range, HEAD and a range beyond the end', async () => {
    const id = await uploaded();
    const part = await get(`/v1/files/${id}/download`).set('Range', 'bytes=1-3').expect(206);
    expect(part.body).toEqual(png.subarray(1, 4));
    expect(part.headers['content-range']).toBe(`bytes 1-3/${png.length}`);
    const { body: whole } = await get(`/v1/files/${id}/download`)
      .set({ Range: 'bytes=1-3', 'If-Range': '"of another file"' })
      .expect(200);
    expect(whole).toEqual(png);
    const beyond = await get(`/v1/files/${id}/download`).set('Range', 'bytes=9999-').expect(416);
    expect(beyond.headers['content-range']).toBe(`bytes */${png.length}`);
    expect(beyond.body.error.request_id).toBe(beyond.headers['x-request-id']);
    const head = await gateway.client(key).head(`/v1/files/${id}/download`).expect(200);
    expect(head.headers['content-length']).toBe(String(png.length));
    expect(head.headers['x-ratelimit-limit']).toBeDefined();
  });

  it("closes the store's stream when its client disconnects", async () => {
    const large = Buffer.concat([png, Buffer.alloc(50_000_000)]);
    const id = await uploaded(large, { ...declared, size_bytes: large.length });
    const { store } = gateway.context;
    let freed: Promise<unknown> | undefined;
    const server = createApp({
      ...gateway.context,
      store: {
        ...store,
        read: async (key, range) => {
          const stream = await store.read(key, range);
          freed = new Promise((resolve) => stream.once('close', resolve));
          return stream;
        },
      },
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const client = connect(port, '127.0.0.1');
    client.write(`GET /v1/files/${id}/download HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n\r\n`);
    await once(client, 'data');
    client.destroy();
    await freed;
    expect(freed).toBeDefined();
    server.close();
    await once(server, 'close');
  });

  it('has a URL that needs no key', async () => {
    const id = await uploaded();
    const { body } = await get(`/v1/files/${id}/url`).expect(200);
    expect(body).toMatchObject({ file_id: id, content_type: 'image/png', size_bytes: png.length });
    expect(Date.parse(body.expires_at)).toBeGreaterThan(Date.now() + 3_590_000);
    const { pathname, search } = new URL(body.url);
    const response = await request(gateway.app)
      .get(pathname + search)
      .expect(200);
    expect(response.body).toEqual(png);
  });

  it('of an unknown, expired, foreign or missing file is 404', async () => {
    const id = await uploaded();
    const outsider = await gateway.newKey(await gateway.newOrganization());
    const { file_id: waiting } = await startUpload();
    const expired = await uploaded();
    await gateway.context.db.prisma.file.update({ where: { id: expired }, data: { expiresAt: new Date(0) } });
    for (const [one, as] of [
      [id, outsider],
      [newId('file'), key],
      ['x', key],
      [waiting, key],
      [expired, key],
    ]) {
      for (const what of ['download', 'url']) {
        const refused = await get(`/v1/files/${one}/${what}`, as).expect(404);
        expect(refused.body.error.code).toBe('NOT_FOUND');
      }
    }
    await get(`/v1/files/${id}`, outsider).expect(404);
    await confirm(id, outsider).expect(400);
  });
});

describe('a deleted file', () => {
  const remove = (id: string, as = key) => gateway.client(as).delete(`/v1/files/${id}`);

  it('can no longer be read, confirmed or used, and is removed with its bytes', async () => {
    const id = await uploaded();
    await confirm(id).expect(200);
    const { pathname, search } = new URL((await get(`/v1/files/${id}/url`).expect(200)).body.url);
    const other = await gateway.newKey(await gateway.newOrganization());
    await remove(id, other).expect(404);
    await request(gateway.app)
      .get(pathname + search)
      .expect(200);
    expect((await remove(id).expect(200)).body).toEqual({ file_id: id, deleted: true });

    for (const path of ['', '/download', '/url']) await get(`/v1/files/${id}${path}`).expect(404);
    await request(gateway.app)
      .get(pathname + search)
      .expect(404);
    expect((await confirm(id).expect(400)).body.error.code).toBe('FILE_NOT_FOUND');
    await expect(
      requireFiles(gateway.context, organizationId, [{ field: 'input.image', id }]),
    ).rejects.toMatchObject({ code: 'FILE_NOT_FOUND' });
    await remove(id).expect(404);
    await gateway.context.db.pool.query(
      `UPDATE files SET created_at = now() - interval '3 hours' WHERE id = $1`,
      [id],
    );
    const removable = await listRemovableFiles(gateway.context.db, 100);
    expect(removable.find((file) => file.id === id)?.keys).toHaveLength(2);
  });

  it('is deleted although the store cannot remove its bytes, which a sweep removes later', async () => {
    const id = await uploaded();
    const removing = jest.spyOn(gateway.context.store, 'remove').mockRejectedValueOnce(new Error('down'));
    await remove(id).expect(200);
    expect(removing).toHaveBeenCalledWith(id);
    await get(`/v1/files/${id}`).expect(404);
  });

  it('takes no bytes, and is not made ready by a check that had begun', async () => {
    const { file_id: id, upload_url: url } = await startUpload();
    await put(url, png).expect(200);
    const [file] = await getFiles(gateway.context.db, organizationId, [id]);
    if (!file) throw new Error('there is no file');
    await remove(id).expect(200);
    await put(url, png).expect(403);
    expect(await confirmFile(gateway.context, organizationId, file)).toMatchObject({
      error: 'FILE_NOT_FOUND',
    });
  });
});

describe('the files in an input', () => {
  it('may be unconfirmed', async () => {
    const id = await uploaded();
    await requireFiles(gateway.context, organizationId, [
      { field: 'input.image', id },
      { field: 'input.mask', id },
    ]);
    expect((await get(`/v1/files/${id}`)).body.status).toBe('ready');
  });

  it('are all reported when they are missing', async () => {
    const id = await uploaded();
    const { file_id: waiting } = await startUpload();
    const other = await gateway.newOrganization();
    await expect(
      requireFiles(gateway.context, organizationId, [
        { field: 'input.image', id },
        { field: 'input.mask', id: waiting },
        { field: 'input.other', id: 'file_nonsense' },
      ]),
    ).rejects.toMatchObject({
      code: 'FILE_NOT_FOUND',
      details: [
        { field: 'input.mask', code: 'NOT_FOUND' },
        { field: 'input.other', code: 'NOT_FOUND' },
      ],
    });
    await expect(requireFiles(gateway.context, other, [{ field: 'input.image', id }])).rejects.toMatchObject({
      code: 'FILE_NOT_FOUND',
    });
  });

  it('are refused when they are larger than the model accepts', async () => {
    const id = await uploaded();
    const references = [{ field: 'input.image', id }];
    await requireFiles(gateway.context, organizationId, references, png.length);
    await expect(
      requireFiles(gateway.context, organizationId, references, png.length - 1),
    ).rejects.toMatchObject({
      code: 'INPUT_VALIDATION_ERROR',
      details: [{ field: 'input.image', code: 'OUT_OF_RANGE' }],
    });
  });

  it('are refused when their bytes are not what was declared', async () => {
    const id = await uploaded(Buffer.alloc(png.length, 'x'));
    await expect(
      requireFiles(gateway.context, organizationId, [{ field: 'input.image', id }]),
    ).rejects.toMatchObject({
      code: 'FILE_FORMAT_UNSUPPORTED',
      details: [{ field: 'input.image', code: 'UNSUPPORTED_FORMAT' }],
    });
  });
});

const { S3_TEST_ENDPOINT: s3 = '', S3_TEST_ACCESS_KEY, S3_TEST_SECRET_KEY } = process.env;

(s3 ? describe : describe.skip)('an upload to S3', () => {
  let onS3: TestGateway;
  let as: string;
  beforeAll(async () => {
    onS3 = await startTestGateway({
      FILE_STORE: 's3',
      S3_ENDPOINT: s3,
      S3_BUCKET: `holdfast-${newId('file').slice(5)}`,
      S3_ACCESS_KEY: S3_TEST_ACCESS_KEY ?? '',
      S3_SECRET_KEY: S3_TEST_SECRET_KEY ?? '',
    });
    await onS3.context.store.prepare();
    as = await onS3.newKey(await onS3.newOrganization());
  });
  afterAll(() => onS3.close());

  async function putOnS3(headers: Record<string, string>) {
    const sent = request(onS3.app).post('/v1/files/upload').auth(as, { type: 'bearer' }).send(declared);
    const { body } = await sent.expect(201);
    const { status } = await fetch(body.upload_url, { method: 'PUT', body: Buffer.from(png), headers });
    expect(status).toBe(200);
    return (path = '') =>
      request(onS3.app).get(`/v1/files/${body.file_id}${path}`).auth(as, { type: 'bearer' });
  }

  it.each([{}, { 'content-type': 'IMAGE/PNG; name=x' }])('is ready after a PUT with %j', async (headers) => {
    const read = await putOnS3(headers);
    expect((await read().expect(200)).body).toMatchObject({ status: 'ready', width: 1, height: 1 });
  });

  it('is refused by its check when it was uploaded with another type', async () => {
    const read = await putOnS3({ 'content-type': 'text/html' });
    expect((await read().expect(200)).body.status).toBe('awaiting_upload');
    expect((await read('/download').expect(404)).body.error.message).toMatch(/another Content-Type/);
  });
});
