import { buffer } from 'node:stream/consumers';
import { insertUpload, markFileReady } from '@holdfast/db/files';
import { newId } from '@holdfast/domain/ids';
import { png } from '@holdfast/files/testing/media';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { buildInput, prepareInput } from './input.ts';
import { modelOf, startCopying } from './testing/copying.ts';

let copying: Awaited<ReturnType<typeof startCopying>>;
let run: { executionId: string; attemptId: string; organizationId: string };
let id: string;
beforeAll(async () => {
  copying = await startCopying();
});
afterAll(() => copying.close());
beforeEach(async () => {
  run = await copying.newRun();
  id = await upload();
});

async function upload(): Promise<string> {
  const { db, store } = copying.files;
  const file = newId('file');
  const { organizationId } = run;
  const declared = { filename: 'a.png', contentType: 'image/png', sizeBytes: png.length };
  await insertUpload(db, { id: file, organizationId, ...declared, ttlDays: 1 });
  await store.put(file, png, { contentType: 'image/png' });
  await markFileReady(db, file, { key: file, ...declared, width: null, height: null, durationMs: null });
  return file;
}

type Route = ReturnType<typeof modelOf>['route'];
const url: Route['files'] = { as: 'url', url_lifetime_s: 120 };

function routeWith(files: Partial<Route['files']>, changes: Partial<Route['input']> = {}) {
  const { definition, route } = modelOf({});
  const input = { rename: {}, set: {}, omit: [], ...changes };
  return { definition, route: { ...route, files: { ...url, ...files }, input } };
}

/** The input for a route with these settings. */
async function prepared(
  input: Record<string, unknown>,
  files: Partial<Route['files']>,
  changes?: Partial<Route['input']>,
) {
  const { definition, route } = routeWith(files, changes);
  return await buildInput(copying.files, definition, route, { ...run, input });
}

describe('a file of the input', () => {
  it('is sent as a URL with the lifetime of the route', async () => {
    const { input, parts } = await prepared({ image: id, more: [{ at: id }], prompt: 'a' }, {});
    const sent = new URL(String(input.image));
    const lifetimeS = Number(sent.searchParams.get('expires')) - Date.now() / 1000;
    expect(lifetimeS).toBeGreaterThan(110);
    expect(lifetimeS).toBeLessThanOrEqual(120);
    expect(input).toEqual({ image: sent.href, more: [{ at: sent.href }], prompt: 'a' });
    expect(parts).toEqual([]);
  });

  it('is sent as a data URI where the route wants one', async () => {
    const { input } = await prepared({ image: id }, { as: 'data_uri' });
    expect(input.image).toBe(`data:image/png;base64,${png.toString('base64')}`);
  });

  it('is sent as a part of a form, and its id stays in the input', async () => {
    const { input, parts } = await prepared({ images: [id], prompt: 'a' }, { as: 'multipart' });
    expect(input).toEqual({ images: [id], prompt: 'a' });
    const [part] = parts;
    expect(part).toMatchObject({
      path: ['images', 0],
      filename: 'a.png',
      contentType: 'image/png',
      sizeBytes: png.length,
    });
    expect((part && (await buffer(await part.open())))?.equals(png)).toBe(true);
  });

  it('is refused when it is larger than the route allows', async () => {
    const most = { max_bytes: png.length };
    await prepared({ image: id }, most);
    await expect(prepared({ image: id }, { max_bytes: png.length - 1 })).rejects.toMatchObject({
      reason: 'too_large',
    });
  });

  it('is not found in another organization', async () => {
    run = await copying.newRun();
    await expect(prepared({ image: id }, {})).rejects.toMatchObject({ reason: 'gone' });
  });
});

describe('the properties of the input', () => {
  it('are left out, renamed and set, together with their parts', async () => {
    const { input, parts } = await prepared(
      { image: id, mask: id, other: id, secret: id, prompt: 'a', size: 1 },
      { as: 'multipart' },
      { omit: ['secret'], rename: { image: 'init_image', other: 'fixed' }, set: { size: 2, fixed: true } },
    );
    expect(input).toEqual({ init_image: id, mask: id, prompt: 'a', size: 2, fixed: true });
    expect(parts.map(({ path }) => path)).toEqual([['init_image'], ['mask']]);
  });

  it('may swap their names, and may be left out when their file is gone', async () => {
    await copying.files.db.pool.query(`UPDATE files SET state = 'deleted' WHERE id = $1`, [id]);
    const { input } = await prepared({ a: 1, b: 2, c: id }, {}, { rename: { a: 'b', b: 'a' }, omit: ['c'] });
    expect(input).toEqual({ a: 2, b: 1 });
  });
});

describe('an input that cannot be prepared', () => {
  const ready = (files: Partial<Route['files']>, opening: 'submit' | 'recover' = 'submit') =>
    prepareInput(copying.files, copying.log, routeWith(files), { ...run, input: { image: id } }, opening);

  it.each([
    [
      'expired',
      () =>
        copying.files.db.pool.query(`UPDATE files SET expires_at = now() - interval '1 ms' WHERE id = $1`, [
          id,
        ]),
    ],
    ['gone from the store', () => copying.files.store.remove(id)],
  ])('fails the run when its file is %s, unless the run is recovered', async (_how, loseIt) => {
    await loseIt();
    expect(await ready({ as: 'data_uri' })).toMatchObject({
      state: 'ended',
      outcome: { ok: false, code: 'FILE_NOT_FOUND' },
    });
    expect(await ready({ as: 'data_uri' }, 'recover')).toEqual({ input: { image: id }, parts: [] });
  });

  it('moves to the next provider when a file is too large for this one', async () => {
    expect(await ready({ max_bytes: 1 })).toMatchObject({ state: 'refused', retryAfterMs: null });
  });

  it('is retried when the store is unavailable', async () => {
    const { files } = copying;
    const unavailable = {
      ...files.store,
      readRange: () => Promise.reject(new Error('connect ECONNREFUSED')),
    };
    const readied = prepareInput(
      { ...files, store: unavailable },
      copying.log,
      routeWith({ as: 'data_uri' }),
      { ...run, input: { image: id } },
      'submit',
    );
    expect(await readied).toMatchObject({ state: 'refused', retryAfterMs: expect.any(Number) });
  });
});
