import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, describe, expect, it } from '@jest/globals';
import { file } from './fileSource.ts';
import { OutputFile } from './outputFile.ts';
import { cut, executionAs, json, type Step, startScriptedServer } from './testing/scriptedServer.ts';
import type { ProgressEvent } from './waiting.ts';

const folder = mkdtempSync(join(tmpdir(), 'holdfast-sdk-'));
let server: Awaited<ReturnType<typeof startScriptedServer>>;
afterEach(() => server.close());

/** A server that takes uploads, fails the first PUT, and completes the execution. */
async function startStore(firstPut: Step = cut) {
  let uploads = 0;
  let puts = 0;
  const step: Step = (response, received) => {
    if (received.path === '/v1/files/upload') {
      uploads += 1;
      const id = `file_${uploads}`;
      json(201, { file_id: id, upload_url: `${server.baseUrl}/put/${id}` })(response, received);
    } else if (received.method === 'PUT') {
      puts += 1;
      (puts === 1 ? firstPut : json(200, {}))(response, received);
    } else if (received.path.endsWith('/download')) {
      void response.writeHead(200, { 'content-length': '5' }).end('bytes');
    } else {
      const result = { images: [{ file_id: 'file_9', format: 'png' }] };
      json(202, executionAs('COMPLETED', { result }))(response, received);
    }
  };
  server = await startScriptedServer(step);
  return server.client();
}

const sent = (path: string) => server.received.filter((one) => one.path.startsWith(path));

describe('what fails on this machine', () => {
  it('is not repeated as a failed connection, when a file cannot be written', async () => {
    const client = await startStore();
    const saving = client.files.save('file_9', join(folder, 'missing/photo.png'));
    await expect(saving).rejects.toMatchObject({ code: 'ENOENT' });
    expect(sent('/v1/files/file_9/download')).toHaveLength(1);
  });

  it('is not repeated as a failed connection, when a file changes while it is sent', async () => {
    const path = join(folder, 'changing.png');
    writeFileSync(path, 'before');
    server = await startScriptedServer((response, received) => {
      writeFileSync(path, 'afterwards');
      json(201, { file_id: 'file_1', upload_url: `${server.baseUrl}/put` })(response, received);
    });
    await expect(server.client().files.send(file(path))).rejects.toMatchObject({ name: 'NotReadableError' });
    expect(sent('/v1/files/upload')).toHaveLength(1);
  });

  it('is not repeated as a failed connection, when the caller fails on progress', async () => {
    const client = await startStore(json(200, {}));
    let starts = 0;
    const failing = async (sentBytes: number) => {
      if (sentBytes === 0) starts += 1;
      else throw new RangeError('the bar is full');
    };
    const sending = client.files.send(new Blob(['x'.repeat(200_000)]), { onProgress: failing });
    await expect(sending).rejects.toThrow('the bar is full');
    expect(starts).toBe(1);
  });
});

describe('files in an input', () => {
  it('are uploaded, each once, and replaced by their ids', async () => {
    const client = await startStore();
    const path = join(folder, 'photo.png');
    writeFileSync(path, 'photo');
    const blob = new Blob(['blob'], { type: 'image/png' });
    const input = {
      image: file(path),
      same: [blob, blob],
      deep: { view: new Uint8Array([1]), stream: Readable.from([new Uint8Array([2, 3])]), text: path },
    };
    const progress: ProgressEvent[] = [];
    await client.run('m', input, { onProgress: (event) => progress.push(event) });
    expect(JSON.parse(sent('/v1/executions')[0]?.body ?? '')).toEqual({
      model: 'm',
      input: {
        image: expect.stringMatching(/^file_/),
        same: [expect.stringMatching(/^file_/), expect.stringMatching(/^file_/)],
        deep: { view: expect.stringMatching(/^file_/), stream: expect.stringMatching(/^file_/), text: path },
      },
    });
    expect(sent('/v1/files/upload').map(({ body }) => JSON.parse(body))).toContainEqual({
      purpose: 'INPUT',
      size_bytes: 5,
      filename: 'photo.png',
    });
    const puts = sent('/put/');
    expect([...new Set(puts.map(({ body }) => body))].sort()).toEqual([
      '\u0001',
      '\u0002\u0003',
      'blob',
      'photo',
    ]);
    expect(puts).toHaveLength(5);
    expect(puts.every(({ headers }) => headers.authorization === undefined)).toBe(true);
    expect(puts.every(({ headers }) => headers['content-length'] !== undefined)).toBe(true);
    expect(progress).toContainEqual({ type: 'upload', field: 'input.same[1]', sentBytes: 4, totalBytes: 4 });
    expect(input.image).toEqual(file(path));
  });

  it('that cannot be read end the run before anything is created', async () => {
    const client = await startStore();
    await expect(client.run('m', { image: file(join(folder, 'missing')) })).rejects.toMatchObject({
      code: 'ENOENT',
    });
    expect(server.received).toEqual([]);
  });
});

describe('a file in an output', () => {
  it('is saved, and has its fields', async () => {
    const client = await startStore();
    const { output } = await client.run('m', {});
    const [image] = output['images'] as OutputFile[];
    expect(image).toBeInstanceOf(OutputFile);
    expect(JSON.parse(JSON.stringify(image))).toEqual({ file_id: 'file_9', format: 'png' });
    const path = join(folder, 'result.png');
    await image?.save(path);
    expect(readFileSync(path, 'utf8')).toBe('bytes');
    expect(Buffer.from((await image?.bytes()) ?? []).toString()).toBe('bytes');
    rmSync(folder, { recursive: true });
  });
});
