import type { ServerResponse } from 'node:http';
import type { Customer } from '@holdfast/testkit/testData';
import { until } from '@holdfast/testkit/until';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import sharp from 'sharp';
import { create, type ExecutionBody, readExecution, untilStatus } from '../../stack/executions.ts';
import { startFront } from './front.ts';
import { type Hosted, startHosted } from './hosted.ts';
import { expectEndedOnce, newCustomer } from './ledgerChecks.ts';
import { at, painter } from './models.ts';

let hosted: Hosted;
let customer: Customer;
let files: Awaited<ReturnType<typeof startFiles>>;

beforeAll(async () => {
  files = await startFiles();
  hosted = await startHosted(
    [
      painter('painting', [at.replicate()]),
      painter('filming', [at.replicate()], { output: { kind: 'files' } }),
      painter('by-image', [at.replicate()], { price: { per_image: '0.04' } }),
    ],
    { REPLICATE_BASE_URL: `${files.origin}/v1` },
  );
  files.forwardTo(hosted.replicate.baseUrl);
});
afterAll(async () => {
  await hosted.close();
  await files.close();
});
beforeEach(async () => {
  customer = await newCustomer(hosted.stack);
});

const bigBytes = 100 * 1024 * 1024;
const mp4Head = Buffer.from('00000020667479706d70343200000000', 'hex');

/** Replicate's own host: its API, and files that are what their names say. */
async function startFiles() {
  const image = await sharp({ create: { width: 8, height: 6, channels: 3, background: 'red' } })
    .png()
    .toBuffer();
  const requests: string[] = [];
  const released = Promise.withResolvers<void>();
  const replies: Record<string, (response: ServerResponse) => void> = {
    image: (response) => response.writeHead(200, { 'content-type': 'image/png' }).end(image),
    big: (response) => sendBig(response),
    redirect: (response) =>
      response.writeHead(302, { location: 'http://169.254.169.254/latest/meta-data' }).end(),
    private: (response) => response.writeHead(302, { location: 'https://10.0.0.7/secret.png' }).end(),
    page: (response) =>
      response.writeHead(200, { 'content-type': 'image/png' }).end('<html>It works!</html>'),
    half: (response) => {
      response.writeHead(200, {
        'content-type': 'image/png',
        'content-length': String(image.length + 500),
      });
      response.write(image, () => response.destroy());
    },
    gone: (response) => response.writeHead(404).end(),
    slow: (response) => {
      response.writeHead(200, { 'content-type': 'image/png', 'content-length': String(image.length) });
      response.write(image.subarray(0, 20));
      void released.promise.then(() => response.end(image.subarray(20)));
    },
  };
  const front = await startFront((request, response) => {
    const [, kind = ''] = /^\/files\/([a-z]+)/.exec(request.url ?? '') ?? [];
    const reply = replies[kind];
    if (reply === undefined) return false;
    requests.push(kind);
    reply(response);
    return true;
  });
  return {
    ...front,
    requests,
    /** Continues the slow response. */
    release: () => released.resolve(),
    url: (name: string) => `${front.origin}/files/${name}`,
  };
}

/** Never whole in memory here either. */
function sendBig(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'video/mp4', 'content-length': String(bigBytes) });
  const chunk = Buffer.alloc(1024 * 1024);
  let left = bigBytes - mp4Head.length;
  response.write(mp4Head);
  const more = () => {
    while (left > 0) {
      const part = chunk.subarray(0, Math.min(left, chunk.length));
      left -= part.length;
      if (response.write(part)) continue;
      response.once('drain', more);
      return;
    }
    response.end();
  };
  more();
}

async function made(
  model: string,
  output: unknown,
  status: string,
): Promise<{ id: string; record: ExecutionBody }> {
  hosted.replicate.plan({ ends: { output }, endsAfterMs: 10 });
  const id = await create(customer.api, model, { prompt: 'a' });
  await untilStatus(customer.api, id, status);
  return { id, record: await expectEndedOnce(hosted.stack, customer, id) };
}

/** The files that the store keeps of an execution; dropped ones have expired. */
const filesOf = async (id: string) => {
  const files = await hosted.stack.db.prisma.file.findMany({ where: { executionId: id, state: 'ready' } });
  return files.filter(({ expiresAt }) => expiresAt === null || expiresAt > new Date());
};

/** FAILED, free of charge, and with nothing in the store. */
async function fails(output: unknown, model = 'painting'): Promise<void> {
  const { id, record } = await made(model, output, 'FAILED');
  expect(record).toMatchObject({ cost: null, error: { code: 'GENERATION_FAILED' } });
  expect(await filesOf(id)).toEqual([]);
}

describe('the output of a run', () => {
  it('may have 20 files, each with an id and its size in pixels, and each can be downloaded', async () => {
    const urls = Array.from({ length: 20 }, (_, index) => files.url(`image-${index}.png`));
    const { record } = await made('painting', urls, 'COMPLETED');
    const { images } = record.result as { images: { file_id: string; width: number; height: number }[] };
    expect(new Set(images.map(({ file_id }) => file_id)).size).toBe(20);
    expect(images.every(({ width, height }) => width === 8 && height === 6)).toBe(true);
    const reply = await customer.api.fetch(`/v1/files/${images[19]?.file_id}/download`);
    expect([reply.status, reply.headers.get('content-type')]).toEqual([200, 'image/png']);
  });

  it('may contain two identical images, which are two files and are both charged', async () => {
    const url = files.url('image.png');
    const { id, record } = await made('by-image', [url, url], 'COMPLETED');
    const { images } = record.result as { images: { file_id: string }[] };
    expect(new Set(images.map(({ file_id }) => file_id)).size).toBe(2);
    expect((await filesOf(id)).map((file) => file.id).toSorted()).toEqual(
      images.map(({ file_id }) => file_id).toSorted(),
    );
    expect(record.cost).toBe('0.08');
  });

  it('may be a file of 100 MB, which has its exact size and arrives whole', async () => {
    const { record } = await made('filming', [files.url('big.mp4')], 'COMPLETED');
    const [file] = (record.result as { files: { file_id: string; format: string }[] }).files;
    expect(file?.format).toBe('mp4');
    const { body } = await customer.api.get(`/v1/files/${file?.file_id}`);
    expect(body).toMatchObject({ size_bytes: bigBytes });
    const reply = await customer.api.fetch(`/v1/files/${file?.file_id}/download`);
    let bytes = 0;
    for await (const chunk of reply.body ?? []) bytes += (chunk as Uint8Array).length;
    expect(bytes).toBe(bigBytes);
  });

  it.each([
    ['no file', () => []],
    ['a null output', () => null],
    ['a file that is not of its declared type', () => [files.url('page.png')]],
    ['a URL that redirects to a metadata address of the cloud', () => [files.url('redirect.png')]],
    ['a URL that redirects to a private address', () => [files.url('private.png')]],
    ['a private URL', () => ['https://192.168.0.1/a.png']],
    ['a local file', () => ['file:///etc/passwd']],
    ['a file that is gone', () => [files.url('gone.png')]],
    [
      'twenty files of which one is gone',
      () => [files.url('gone.png'), ...Array.from({ length: 19 }, (_, index) => files.url(`image-${index}`))],
    ],
  ])('with %s fails the execution, is not charged and is not kept', async (_what, output) => {
    await fails(output());
  });

  it('is not kept if its execution is cancelled during the copy', async () => {
    hosted.replicate.plan({ ends: { output: [files.url('slow.png')] }, endsAfterMs: 10 });
    const id = await create(customer.api, 'painting', { prompt: 'a' });
    await until('it is copied', () => files.requests.includes('slow'));
    await customer.api.post(`/v1/executions/${id}/cancel`);
    files.release();
    await until('it was stored, and dropped', async () => {
      const stored = await hosted.stack.db.prisma.file.findMany({ where: { executionId: id } });
      return (
        stored.length > 0 && stored.every(({ expiresAt }) => expiresAt !== null && expiresAt <= new Date())
      );
    });
    expect((await expectEndedOnce(hosted.stack, customer, id)).status).toBe('CANCELLED');
  });

  it('is not kept if its execution is cancelled before the outcome is settled', async () => {
    await hosted.stack.services.stop('ledger');
    hosted.replicate.plan({ ends: { output: [files.url('image.png')] }, endsAfterMs: 10 });
    const id = await create(customer.api, 'painting', { prompt: 'a' });
    const { prisma } = hosted.stack.db;
    await until('it was made', () =>
      prisma.attempt.findFirst({ where: { executionId: id, state: 'succeeded' } }),
    );
    expect(await filesOf(id)).toHaveLength(1);
    await customer.api.post(`/v1/executions/${id}/cancel`);
    await until('it is dropped', async () => (await filesOf(id)).length === 0);
    await hosted.stack.services.start('ledger');
    await until('its outcome is put aside', () =>
      prisma.attempt.findFirst({ where: { executionId: id, settledAt: { not: null } } }),
    );
    const record = await expectEndedOnce(hosted.stack, customer, id);
    expect([record.status, record.cost]).toEqual(['CANCELLED', null]);
  });

  it('is fetched again if a file breaks off, and fails its execution if every retry breaks off', async () => {
    files.requests.length = 0;
    hosted.replicate.plan({ ends: { output: [files.url('half.png')] }, endsAfterMs: 10 });
    const id = await create(customer.api, 'painting', { prompt: 'a' });
    const hasFailed = async () => (await readExecution(customer.api, id)).status === 'FAILED';
    await until('it has failed', hasFailed, 50_000);
    expect(files.requests.length).toBeGreaterThan(3);
    expect(await filesOf(id)).toEqual([]);
    expect((await expectEndedOnce(hosted.stack, customer, id)).cost).toBeNull();
  }, 60_000);
});
