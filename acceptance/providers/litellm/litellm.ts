import assert from 'node:assert/strict';
import { until } from '@holdfast/testkit/until';
import { create, untilStatus } from '../../stack/executions.ts';
import type { Bench, Case, Suite } from '../suite.ts';

const input = { prompt: 'hello' };

/** How many completions LiteLLM has started, by its own log. */
const starts = ({ server }: Bench) => server.log().split('start: ').length - 1;

/** How often the operator was alerted about the connection. */
const alerts = ({ holdfast }: Bench, connection: string) =>
  holdfast.log('dispatcher').filter(({ alert, connection: of }) => alert !== undefined && of === connection)
    .length;

/** What clients must not read: who runs the model, and what that server says of itself. */
const insides = /litellm|openai|azure|mock|\bdb\b|sk-/i;

async function failsNeutrally(bench: Bench, model: string, codes: string[]): Promise<void> {
  const { api, untilEnded } = bench.holdfast;
  const { status, error, cost } = await untilEnded(await create(api, model, input));
  assert.equal(status, 'FAILED');
  assert.ok(codes.includes(error?.code ?? ''), `it failed with ${error?.code}`);
  assert.doesNotMatch(error?.message ?? '', insides);
  assert.equal(cost, null);
}

const cases: Case[] = [
  {
    title: 'returns text for a prompt, and charges once',
    async run({ holdfast: { api, untilEnded } }) {
      const record = await untilEnded(await create(api, 'litellm-text', input));
      assert.deepEqual(
        [record.status, record.result, record.cost],
        ['COMPLETED', { text: 'Hello from the mock.' }, '0.01'],
      );
    },
  },
  {
    title: 'stores the image of a prompt, and charges for it once',
    async run({ holdfast: { api, untilEnded } }) {
      const { status, result, cost } = await untilEnded(await create(api, 'litellm-image', input));
      assert.deepEqual([status, cost], ['COMPLETED', '0.02']);
      const [image] = (result as { images: { format: string; width: number }[] }).images;
      assert.deepEqual([image?.format, image?.width], ['png', 1]);
    },
  },
  {
    title:
      'returns the whole text although the input asks for a stream, and streams the status of the execution',
    async run({ holdfast: { api, state, untilEnded } }) {
      const id = await create(api, 'litellm-text', { ...input, stream: true });
      const events = await fetch(`${state.base_url}/v1/executions/${id}/events`, {
        headers: { authorization: `Bearer ${state.api_key}` },
      });
      assert.match(await events.text(), /"status":"COMPLETED"/);
      assert.deepEqual((await untilEnded(id)).result, { text: 'Hello from the mock.' });
    },
  },
  {
    title: 'tries the next provider when the key is wrong, and alerts the operator',
    async run(bench) {
      const before = alerts(bench, 'litellm_wrong');
      const { api, untilEnded } = bench.holdfast;
      const record = await untilEnded(await create(api, 'litellm-fallback', input));
      assert.equal(record.status, 'COMPLETED');
      assert.ok(alerts(bench, 'litellm_wrong') > before, 'the operator was not alerted');
    },
  },
  {
    title: 'does not blame the client for a wrong key',
    async run(bench) {
      const before = alerts(bench, 'litellm_wrong');
      await failsNeutrally(bench, 'litellm-wrong-key', ['SERVICE_UNAVAILABLE', 'MODEL_UNAVAILABLE']);
      assert.ok(alerts(bench, 'litellm_wrong') > before, 'the operator was not alerted');
    },
  },
  {
    title: 'does not blame the client for a model that is not there',
    async run(bench) {
      const before = alerts(bench, 'litellm');
      await failsNeutrally(bench, 'litellm-unknown', ['SERVICE_UNAVAILABLE', 'MODEL_UNAVAILABLE']);
      assert.ok(alerts(bench, 'litellm') > before, 'the operator was not alerted');
    },
  },
  {
    title: 'fails an execution whose provider breaks down, without naming it',
    run: (bench) => failsNeutrally(bench, 'litellm-broken', ['GENERATION_FAILED', 'MODEL_UNAVAILABLE']),
  },
  {
    title: 'completes four executions at a limit of two a minute',
    async run({ holdfast: { api, untilEnded } }) {
      const ids = await Promise.all(Array.from({ length: 4 }, () => create(api, 'litellm-limited', input)));
      const records = await Promise.all(ids.map((id) => untilEnded(id, 200_000)));
      assert.deepEqual(
        records.map(({ status }) => status),
        Array.from({ length: 4 }, () => 'COMPLETED'),
      );
    },
  },
  {
    title: 'cancels an execution that its provider is at, and charges nothing',
    async run({ holdfast: { api } }) {
      const id = await create(api, 'litellm-slow', input);
      await untilStatus(api, id, 'PROCESSING');
      await api.post(`/v1/executions/${id}/cancel`);
      assert.equal((await untilStatus(api, id, 'CANCELLED')).cost, null);
    },
  },
  {
    title: 'never sends again what a killed dispatcher has sent',
    async run(bench) {
      const { api, untilEnded, kill } = bench.holdfast;
      const before = starts(bench);
      const id = await create(api, 'litellm-slow', input);
      await until('LiteLLM has begun', () => starts(bench) > before);
      await kill('dispatcher');
      const { status, error } = await untilEnded(id, 90_000);
      assert.deepEqual([status, error?.code, error?.retryable], ['FAILED', 'GENERATION_FAILED', true]);
      assert.equal(starts(bench) - before, 1);
    },
  },
  {
    title: 'ends an execution whose provider is killed in the middle, and serves the next one',
    async run(bench) {
      const { api, untilEnded } = bench.holdfast;
      const before = starts(bench);
      const id = await create(api, 'litellm-slow', input);
      await until('LiteLLM has begun', () => starts(bench) > before);
      await bench.server.kill();
      const { status, cost } = await untilEnded(id, 200_000);
      assert.deepEqual([status, cost], ['FAILED', null]);
      await bench.server.start();
      assert.equal((await untilEnded(await create(api, 'litellm-text', input))).status, 'COMPLETED');
    },
  },
];

export const litellm: Suite = {
  requirements: ['litellm[proxy]==1.106.0'],
  connections: (url) => ({
    LITELLM_BASE_URL: url,
    LITELLM_API_KEY: 'sk-acceptance',
    LITELLM_WRONG_BASE_URL: url,
    LITELLM_WRONG_API_KEY: 'sk-of-another-account',
  }),
  command: (port) => ({
    program: 'litellm',
    args: ['--config', 'config.yaml', '--host', '127.0.0.1', '--port', String(port)],
    folder: import.meta.dirname,
    env: { LITELLM_LOCAL_MODEL_COST_MAP: 'True' },
  }),
  ready: { path: '/health/readiness' },
  cases,
};
