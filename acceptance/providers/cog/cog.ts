import assert from 'node:assert/strict';
import { join } from 'node:path';
import type { ApiClient } from '@holdfast/testkit/apiClient';
import { until } from '@holdfast/testkit/until';
import { create, readExecution, untilStatus } from '../../stack/executions.ts';
import type { Bench, Case, Suite } from '../suite.ts';

/** How often Cog has started the run with this prompt, by its own log. */
const starts = ({ server }: Bench, prompt: string) =>
  server.log().split(`"message":"start: ${prompt}"`).length - 1;

const untilStarted = (bench: Bench, prompt: string) =>
  until(`Cog has started ${prompt}`, () => starts(bench, prompt) > 0);

/** What Cog says of itself. */
async function health({ server }: Bench): Promise<string> {
  const response = await fetch(`${server.url}/health-check`);
  return ((await response.json()) as { status: string }).status;
}

const untilIdle = (bench: Bench) => until('Cog is idle', async () => (await health(bench)) === 'READY');

const onePixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

/** A PNG as a client uploads it; its id. */
async function upload(api: ApiClient, bytes: Buffer): Promise<string> {
  const type = 'image/png';
  const declared = { filename: 'a.png', content_type: type, size_bytes: bytes.length };
  const { body } = await api.post('/v1/files/upload', declared);
  const headers = { 'content-type': type };
  const put = await fetch(String(body['upload_url']), {
    method: 'PUT',
    headers,
    body: new Uint8Array(bytes),
  });
  assert.equal(put.status, 200);
  return String(body['file_id']);
}

const cases: Case[] = [
  {
    title: 'returns text for a prompt, and charges once',
    async run({ holdfast: { api, untilEnded } }) {
      const id = await create(api, 'cog-text', { prompt: 'plain' });
      const record = await untilEnded(id);
      assert.deepEqual(
        [record.status, record.result, record.cost],
        ['COMPLETED', { text: 'hello plain' }, '0.01'],
      );
    },
  },
  {
    title: 'joins the pieces of a model that yields',
    async run({ holdfast: { api, untilEnded } }) {
      const id = await create(api, 'cog-text', { prompt: 'one by one', kind: 'stream' });
      assert.deepEqual((await untilEnded(id)).result, { text: 'one by one ' });
    },
  },
  {
    title: 'shows the progress of a run while it runs',
    async run(bench) {
      const { api, untilEnded } = bench.holdfast;
      const id = await create(api, 'cog-text', { prompt: 'progress', seconds: 12 });
      await until('progress is shown', async () => {
        const { progress = null, status } = (await readExecution(api, id)) as {
          progress?: number;
          status: string;
        };
        assert.notEqual(status, 'COMPLETED', 'it ended before any progress was shown');
        return progress !== null && progress > 0 && progress < 1;
      });
      assert.equal((await untilEnded(id)).status, 'COMPLETED');
      assert.equal(starts(bench, 'progress'), 1);
    },
  },
  {
    title: 'stops at Cog what its client cancels, and charges nothing',
    async run(bench) {
      const { api } = bench.holdfast;
      const id = await create(api, 'cog-text', { prompt: 'cancelled', seconds: 60 });
      await untilStarted(bench, 'cancelled');
      await api.post(`/v1/executions/${id}/cancel`);
      assert.equal((await untilStatus(api, id, 'CANCELLED')).cost, null);
      await untilIdle(bench);
    },
  },
  {
    title: 'fails an execution whose model raises an error',
    async run({ holdfast: { api, untilEnded } }) {
      const record = await untilEnded(
        await create(api, 'cog-text', { prompt: 'failure', fail: 'no weights' }),
      );
      assert.deepEqual([record.status, record.error?.code], ['FAILED', 'GENERATION_FAILED']);
    },
  },
  {
    title: 'runs six executions of five seconds one after the other in its one slot',
    async run(bench) {
      const { api, untilEnded } = bench.holdfast;
      const one = (prompt: string) =>
        create(api, 'cog-text', { prompt, seconds: 5 }, { timeout_seconds: 60 });
      const ids = await Promise.all(Array.from({ length: 6 }, (_, index) => one(`busy ${index}`)));
      const records = await Promise.all(ids.map((id) => untilEnded(id, 90_000)));
      assert.deepEqual(
        records.map(({ status }) => status),
        Array.from({ length: 6 }, () => 'COMPLETED'),
      );
      for (const index of ids.keys()) assert.equal(starts(bench, `busy ${index}`), 1);
    },
  },
  {
    title: 'starts a run once although its dispatcher is killed in the middle',
    async run(bench) {
      const { api, untilEnded, kill } = bench.holdfast;
      const id = await create(api, 'cog-text', { prompt: 'dispatcher killed', seconds: 15 });
      await untilStarted(bench, 'dispatcher killed');
      await kill('dispatcher');
      const record = await untilEnded(id, 90_000);
      assert.deepEqual([record.status, record.cost], ['COMPLETED', '0.01']);
      assert.equal(starts(bench, 'dispatcher killed'), 1);
    },
  },
  {
    title: 'sends a model its input file under a name with its extension, and returns an image',
    async run(bench) {
      const { api, untilEnded } = bench.holdfast;
      const file = await upload(api, onePixel);
      const id = await create(api, 'cog-image', { prompt: 'picture', image: file });
      const { status, result } = await untilEnded(id);
      assert.equal(status, 'COMPLETED');
      const [picture] = (result as { images: { format: string; width: number }[] }).images;
      assert.deepEqual([picture?.format, picture?.width], ['png', 1]);
      assert.match(bench.server.log(), new RegExp(`"message":"input: \\.png ${onePixel.length} bytes"`));
    },
  },
  {
    title: 'takes an image of 12 MiB by its callback, and starts the run once',
    async run(bench) {
      const { api, untilEnded, log } = bench.holdfast;
      const id = await create(api, 'cog-image', { prompt: 'large image', size_bytes: 12 * 1024 * 1024 });
      const { status, result } = await untilEnded(id);
      assert.equal(status, 'COMPLETED');
      assert.equal((result as { images: unknown[] }).images.length, 1);
      const received = log('api-gateway').filter(
        ({ msg, executionId }) => msg === 'large callback received' && executionId === id,
      );
      assert.deepEqual(
        received.map(({ isStored }) => isStored),
        [true],
      );
      assert.equal(starts(bench, 'large image'), 1);
    },
  },
  {
    title: 'begins a run again that its container lost when it was killed in the middle',
    async run(bench) {
      const { api, untilEnded } = bench.holdfast;
      const id = await create(api, 'cog-text', { prompt: 'server killed', seconds: 15 });
      await untilStatus(api, id, 'AWAITING_WEBHOOK');
      await untilStarted(bench, 'server killed');
      await bench.server.kill();
      await bench.server.start();
      const { status, cost } = await untilEnded(id, 100_000);
      assert.deepEqual([status, cost], ['COMPLETED', '0.01']);
      assert.equal(starts(bench, 'server killed'), 2);
    },
  },
  {
    title: 'starts a run once although the gateway is killed while it runs',
    async run(bench) {
      const { api, untilEnded, kill } = bench.holdfast;
      const id = await create(api, 'cog-text', { prompt: 'gateway killed', seconds: 8 });
      await untilStarted(bench, 'gateway killed');
      await kill('api-gateway');
      assert.equal((await untilEnded(id, 100_000)).status, 'COMPLETED');
      assert.equal(starts(bench, 'gateway killed'), 1);
    },
  },
  {
    title: 'opens the circuit of a container whose worker has died, and alerts the operator',
    async run(bench) {
      const { api, untilEnded, log } = bench.holdfast;
      const dying = await untilEnded(await create(api, 'cog-text', { prompt: 'dying', die: true }));
      assert.deepEqual([dying.status, dying.error?.code], ['FAILED', 'GENERATION_FAILED']);
      const id = await create(api, 'cog-text', { prompt: 'after the death' });
      const isAlerted = () => log('dispatcher').some(({ alert }) => /UNHEALTHY/.test(String(alert)));
      await until('the operator is alerted', isAlerted);
      const isOpen = () =>
        log('dispatcher').some(({ msg, connection }) => connection === 'cog' && /circuit is open/.test(msg));
      await until('the circuit is open', isOpen);
      await bench.server.kill();
      await bench.server.start();
      assert.equal((await untilEnded(id, 100_000)).status, 'COMPLETED');
    },
  },
];

export const cog: Suite = {
  requirements: ['cog==0.23.1'],
  connections: (url) => ({ COG_BASE_URL: url }),
  command: (port) => ({
    program: 'python',
    args: ['-m', 'cog.server.http', '--host', '127.0.0.1'],
    folder: join(import.meta.dirname),
    env: { PORT: String(port), COG_PREDICT_TYPE_STUB: 'predict.py:Runner' },
  }),
  ready: { path: '/health-check', says: (body) => body.includes('"status":"READY"') },
  cases,
};
