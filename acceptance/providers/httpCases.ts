import assert from 'node:assert/strict';
import { until } from '@holdfast/testkit/until';
import { create, untilStatus } from '../stack/executions.ts';
import type { Bench, Case } from './suite.ts';

/** How often the server has started a run with this prompt, by its own log. */
const starts = ({ server }: Bench, prompt: string) => server.log().split(`start: ${prompt}\n`).length - 1;

/** Requests of a path that the server has logged since its log had this length. */
export const requests = ({ server }: Bench, path: string, since: number) =>
  server.log().slice(since).split(path).length - 1;

export const insides = /bentoml|gradio|mlserver|boom|traceback/i;

export function completes(model: string, text: string): Case {
  return {
    title: `${model}: returns text for a prompt, and charges once`,
    async run({ holdfast: { api, untilEnded } }) {
      const { status, result, cost } = await untilEnded(await create(api, model, { prompt: 'a dog' }));
      assert.deepEqual([status, result], ['COMPLETED', { text }]);
      assert.ok(Number(cost) > 0, `it cost ${cost}`);
    },
  };
}

/** The example in models/examples, as it is. */
export function draws(model: string): Case {
  return {
    title: `${model}: stores the image of the response`,
    async run({ holdfast: { api, untilEnded } }) {
      const { status, result } = await untilEnded(await create(api, model, { prompt: 'a dog' }));
      assert.equal(status, 'COMPLETED');
      const [image] = (result?.['images'] ?? []) as { width: number; height: number; file_id: string }[];
      assert.deepEqual([image?.width, image?.height], [64, 48]);
      assert.equal((await api.get(`/v1/files/${image?.file_id}`)).status, 200);
    },
  };
}

export function fails(model: string, input: object, code: string): Case {
  return {
    title: `${model}: fails with ${code} when asked for ${JSON.stringify(input)}, without naming it`,
    async run({ holdfast: { api, untilEnded } }) {
      const { status, error, cost } = await untilEnded(await create(api, model, { ...input }));
      assert.deepEqual([status, error?.code, cost], ['FAILED', code, null]);
      assert.doesNotMatch(error?.message ?? '', insides);
    },
  };
}

/** A run that the server has started to compute. */
async function begun(bench: Bench, model: string, prompt: string, seconds?: number): Promise<string> {
  const id = await create(bench.holdfast.api, model, { prompt, ...(seconds !== undefined && { seconds }) });
  await until(`${model} has begun`, () => starts(bench, prompt) > 0);
  return id;
}

/** `logged`: the server's log line for a cancel; null: none. */
export function cancels(model: string, logged: string | null): Case {
  return {
    title: `${model}: cancels an execution that the server is at, and charges nothing`,
    async run(bench) {
      const { api } = bench.holdfast;
      const id = await begun(bench, model, `cancel ${model}`, 8);
      await untilStatus(api, id, 'PROCESSING');
      const since = bench.server.log().length;
      await api.post(`/v1/executions/${id}/cancel`);
      assert.equal((await untilStatus(api, id, 'CANCELLED')).cost, null);
      if (logged !== null)
        await until('the server received the cancel', () => requests(bench, logged, since) > 0);
    },
  };
}

/** `takenOver`: whether the next dispatcher can join the run. */
export function survives(model: string, takenOver: boolean): Case {
  const prompt = `dispatcher ${model}`;
  return {
    title: `${model}: is begun once though the dispatcher is killed in the middle`,
    async run(bench) {
      const { untilEnded, kill } = bench.holdfast;
      const id = await begun(bench, model, prompt, 6);
      await kill('dispatcher');
      const { status, error } = await untilEnded(id, 90_000);
      assert.equal(status, takenOver ? 'COMPLETED' : 'FAILED');
      if (!takenOver) assert.deepEqual([error?.code, error?.retryable], ['GENERATION_FAILED', true]);
      assert.equal(starts(bench, prompt), 1);
    },
  };
}

/** `seconds`: for how long the model computes, where its input says so. */
export function restarts(model: string, prompt: string, seconds?: number): Case {
  return {
    title: `${model}: ends an execution whose server is killed in the middle, and serves the next one`,
    async run(bench) {
      const { api, untilEnded } = bench.holdfast;
      const id = await begun(bench, model, prompt, seconds);
      await bench.server.kill();
      await bench.server.start();
      const { status, cost } = await untilEnded(id, 150_000);
      assert.deepEqual([['FAILED', 'EXPIRED'].includes(status), cost], [true, null]);
      assert.equal((await untilEnded(await create(api, model, { prompt: 'a dog' }))).status, 'COMPLETED');
    },
  };
}
