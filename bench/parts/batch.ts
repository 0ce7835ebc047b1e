import { setTimeout as sleep } from 'node:timers/promises';
import type { batchRecord } from '@holdfast/domain/batch';
import { type ApiClient, apiClient } from '@holdfast/testkit/apiClient';
import { accounted, type Bench, create, type Figures, type Part, untilDelivered, watched } from '../bench.ts';
import { readMemory, withPeakMemory } from '../memory.ts';
import { createOrganization, expectStatus } from '../organizations.ts';
import { latencies, nowMs, percentile, round, withoutFirst } from '../statistics.ts';
import { runWarm } from './endToEnd.ts';

type Batch = ReturnType<typeof batchRecord>;

const lineBytes = 300;
const ratePerS = 20;
const minExecutions = 400;
const warmUpS = 1;
const readEveryMs = 100;

/** Measures a batch: its intake, its rate against single creates, and the delay of executions beside it. */
export const batch: Part = {
  about: `intake and executions/s of a batch (--lines), and create to webhook at ${ratePerS}/s beside it`,
  isLong: true,
  async run(bench) {
    const other = await createOrganization(bench.state, `${bench.receiver.url}/`);
    const single = await runWarm(bench, 'batch_single');
    const alone = await runAlone(bench);
    const before = await besideMs(bench, bench.apiKey);
    const running = await startBatch(bench);
    await running.sealed();
    const own = await besideMs(bench, bench.apiKey);
    const others = await besideMs(bench, other.apiKey);
    const { status } = await running.read();
    if (status !== 'running')
      throw new Error(`the batch was ${status} before the executions beside it: raise --lines`);
    await running.cancel();
    const after = await besideMs(bench, bench.apiKey);
    const aloneP99Ms = (percentile(before, 0.99) + percentile(after, 0.99)) / 2;
    return {
      ...alone,
      batch_single_per_s: single.perS,
      batch_over_single: round(Number(alone['batch_per_s']) / single.perS, 2),
      ...latencies('before_batch', before),
      ...latencies('beside_batch', own),
      ...latencies('beside_others_batch', others),
      ...latencies('after_batch', after),
      beside_batch_p99_over_alone: round(percentile(own, 0.99) / aloneP99Ms, 2),
      beside_others_batch_p99_over_alone: round(percentile(others, 0.99) / aloneP99Ms, 2),
    };
  },
};

/** Intake and run of a batch on a system that does nothing else; a batch has no webhook per item. */
async function runAlone(bench: Bench): Promise<Figures> {
  const idleMib = readMemory(bench.state)?.['total'] ?? Number.NaN;
  const started = nowMs();
  const { result: running, peak } = await withPeakMemory(bench.state, () => startBatch(bench));
  const intakeS = (nowMs() - started) / 1000;
  const from = nowMs();
  await accounted(bench, 'batch', async () => {
    await running.sealed();
    await running.ended();
    return Array.from({ length: bench.flags.lines });
  });
  const batch = await running.read();
  if (batch.counts.completed !== bench.flags.lines)
    throw new Error(`ended as ${JSON.stringify(batch.counts)}`);
  return {
    batch_lines: bench.flags.lines,
    batch_intake_s: round(intakeS, 2),
    batch_intake_memory_over_idle_mib: round((peak['total'] ?? Number.NaN) - idleMib),
    batch_per_s: round(bench.flags.lines / ((nowMs() - from) / 1000)),
  };
}

/** A batch of the bench's organization that has all of its items. */
async function startBatch({ state, apiKey, flags, say }: Bench) {
  const api = apiClient(state.base_url, apiKey);
  const asked = { model: 'sandbox-text' };
  const { id } = await expectStatus<Batch>(202, api.post('/v1/batches', asked));
  await addItems(api, id, flags.lines);
  say(`${flags.lines} items are in`);
  const read = async () => await expectStatus<Batch>(200, api.get(`/v1/batches/${id}`));
  const ended = async () => {
    for (let at = 1; (await read()).ended_at === null; at += 1) {
      if (at % 100 === 0) say(`${(await read()).counts.completed} items are completed`);
      await sleep(readEveryMs);
    }
  };
  const to = async (change: string) => await expectStatus(200, api.post(`/v1/batches/${id}/${change}`));
  return {
    read,
    ended,
    sealed: () => to('seal'),
    cancel: async () => {
      await to('cancel');
      await ended();
    },
  };
}

async function addItems(api: ApiClient, id: string, lines: number): Promise<void> {
  const line = (at: number) => {
    const start = `{"custom_id":"line-${String(at).padStart(6, '0')}","input":{"prompt":"`;
    return `${start.padEnd(lineBytes - 4, 'x')}"}}\n`;
  };
  const response = await api.fetch(`/v1/batches/${id}/items`, {
    method: 'POST',
    body: Buffer.from(Array.from({ length: lines }, (_, at) => line(at)).join('')),
    headers: { 'content-type': 'application/x-ndjson' },
  });
  const { accepted } = JSON.parse((await response.text()).trim().split('\n').at(-1) ?? '{}');
  if (accepted !== lines) throw new Error(`${accepted} of ${lines} items were accepted`);
}

/** From create to webhook, at fixed times. */
async function besideMs(bench: Bench, key: string): Promise<number[]> {
  const { clients } = bench.flags;
  const seconds = warmUpS + Math.max(bench.flags.seconds, minExecutions / ratePerS);
  return await watched(bench, 'batch_beside', async () => {
    const created = await create(bench, { keys: [key], clients, seconds, ratePerS });
    const arrivals = new Map(
      (await untilDelivered(bench, created)).map((one) => [one.executionId, one.atMs]),
    );
    const measured = withoutFirst(created, warmUpS);
    const ms = measured.map(({ id, sentAtMs }) => (arrivals.get(id) ?? Number.NaN) - sentAtMs);
    bench.say(
      `${round(percentile(ms, 0.5))} ms to the webhook (median), p99 ${round(percentile(ms, 0.99))} ms`,
    );
    return ms;
  });
}
