import { expireFile, insertUpload, markFileReady, markFilesDeleted } from '@holdfast/db/files';
import { newId } from '@holdfast/domain/ids';
import type { ModelDefinition } from '@holdfast/domain/modelDefinition';
import type { RecordedOutcome, Success } from '@holdfast/domain/outcome';
import type { AttemptRecorder } from '@holdfast/executions/attemptRecorder';
import { mp4, png } from '@holdfast/files/testing/media';
import { createRegistry } from '@holdfast/kit/metrics';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { type AttemptServices, applyProgress } from './attempt.ts';
import { finishRun } from './finishedRun.ts';
import { dispatcherMetrics } from './metrics.ts';
import type { Route } from './route.ts';
import type { Attempt } from './submission.ts';
import { madeOutput, startCopying } from './testing/copying.ts';

let copying: Awaited<ReturnType<typeof startCopying>>;
beforeAll(async () => {
  copying = await startCopying();
});
afterAll(() => copying.close());

type Run = {
  input?: Record<string, unknown>;
  measured?: Success['measured'];
  definition?: Partial<ModelDefinition>;
  prepare?(attempt: Attempt): Promise<void>;
};

type Recorded = {
  outcome: RecordedOutcome;
  state: string;
  rawError?: string | null;
  providerCost?: string | null;
};

/** What is recorded for a run with this output, and the files that are kept. */
async function recordRun(urls: string[], isRecorded = true, of: Run = {}) {
  const { files, log, routeOf } = copying;
  const attempt = { ...(await copying.newRun()), input: of.input ?? {} } as Attempt;
  await of.prepare?.(attempt);
  const recorded: Recorded[] = [];
  const recorder: Pick<AttemptRecorder, 'recordOutcome'> = {
    recordOutcome: async (_id, outcome, state, forOperators) => {
      recorded.push({ outcome, state, ...forOperators });
      return isRecorded;
    },
  };
  const route = routeOf({ kind: 'videos' });
  const definition = { ...route.definition, price: { per_megapixel: '1' }, ...of.definition };
  const trace = { tracing: null, span: null, log };
  const made = madeOutput('videos', ...urls);
  const progress = { state: 'ended', outcome: { ...made, measured: of.measured ?? {} } } as const;
  const never = new AbortController().signal;
  const missing: string[] = [];
  const missingUsage = { inc: ({ quantity }: { quantity: string }) => void missing.push(quantity) };
  const services = { files, recorder, metrics: { missingUsage } } as unknown as AttemptServices;
  await finishRun(services, trace, { ...route, definition }, attempt, progress, never);
  return {
    recorded,
    missing,
    kept: (await copying.filesOf(attempt.executionId)).filter(({ kept }) => kept),
  };
}

const dataUrl = (bytes: Buffer) => `data:application/octet-stream;base64,${bytes.toString('base64')}`;

it('a run is priced by the pixels of its stored files', async () => {
  const { recorded, kept } = await recordRun([dataUrl(mp4)]);
  expect(recorded).toMatchObject([
    { state: 'succeeded', outcome: { ok: true, cost: '0.23040000' }, providerCost: null },
  ]);
  expect(kept).toHaveLength(1);
});

it.each([
  ['the model says', {}, '0.05760000'],
  ['its provider reports', { cost: '0.011' }, '0.01100000'],
])('a run cost the operator what %s', async (_, measured, providerCost) => {
  const definition = { provider_price: { per_megapixel: '0.25' } };
  const { recorded } = await recordRun([dataUrl(mp4)], true, { definition, measured });
  expect(recorded).toMatchObject([{ outcome: { cost: '0.23040000' }, providerCost }]);
});

it('a run is priced by the measured length of its clips, not by the reported one', async () => {
  const definition = { price: { per_second: '0.02' } };
  const { recorded } = await recordRun([dataUrl(mp4)], true, {
    definition,
    measured: { outputSeconds: 1_000_000 },
  });
  const [{ outcome } = {}] = recorded;
  expect(outcome).toMatchObject({ ok: true, billed: { seconds: expect.any(Number) } });
  expect(outcome?.ok && outcome.billed?.seconds).toBeLessThan(60);
});

it('a clip without a readable length is charged as estimated for this input, not as for the default', async () => {
  const unreadable = Buffer.concat([mp4.subarray(0, 32), Buffer.alloc(500)]);
  const { recorded, missing } = await recordRun([dataUrl(unreadable)], true, {
    input: { duration: 4 },
    definition: {
      price: { per_second: '0.40' },
      estimate: { seconds: { input: 'duration', default: 8 } },
    },
  });
  const billed = { seconds: 4, estimated: ['seconds'] };
  expect(recorded).toMatchObject([{ outcome: { cost: '1.60000000', billed } }]);
  expect(missing).toEqual(['seconds']);
});

it('a run is priced by the measures of its input files, even after they were removed', async () => {
  const id = newId('file');
  const input_schema = {
    type: 'object',
    properties: { audio: { type: 'string', format: 'file' } },
  } as const;
  const { recorded, missing } = await recordRun([dataUrl(mp4)], true, {
    input: { audio: id },
    definition: {
      input_schema,
      price: { per_input_second: { input: 'audio', price: '0.1', default: 600 }, per_output_token: '1' },
      estimate: { output_tokens: 2 },
    },
    async prepare({ organizationId }) {
      const of = {
        id,
        organizationId,
        filename: 'a.wav',
        contentType: 'audio/wav',
        sizeBytes: 1,
        ttlDays: null,
      };
      await insertUpload(copying.files.db, of);
      const found = { ...of, key: id, width: null, height: null, durationMs: 2500 };
      await markFileReady(copying.files.db, id, found);
      await expireFile(copying.files.db, organizationId, id);
      await markFilesDeleted(copying.files.db, [id]);
    },
  });
  expect(recorded).toMatchObject([
    {
      outcome: {
        cost: '2.25000000',
        outputTokens: 2,
        billed: { input_seconds: 2.5, estimated: ['output_tokens'] },
      },
    },
  ]);
  expect(missing).toEqual(['output_tokens']);
});

it('a run whose output cannot be stored fails, costs the client nothing, and keeps no file', async () => {
  const { recorded, kept } = await recordRun([dataUrl(mp4), dataUrl(png)]);
  expect(recorded).toMatchObject([{ state: 'failed', outcome: { ok: false, code: 'GENERATION_FAILED' } }]);
  expect(recorded[0]?.outcome).not.toHaveProperty('cost');
  const reason = 'an output has the type image/png, which is not accepted for videos';
  expect(recorded[0]?.rawError).toBe(`The output was not copied: ${reason}`);
  expect(recorded[0]?.outcome).toMatchObject({ message: `The output could not be stored: ${reason}.` });
  expect(kept).toEqual([]);
});

it('the error for the operator names the setting that allows files from the network of the provider', async () => {
  const { recorded } = await recordRun(['http://minio.lan:9000/a.mp4']);
  expect(recorded[0]?.outcome).toMatchObject({ message: 'The output could not be stored.' });
  expect(recorded[0]?.rawError).toMatch(
    /^The output was not copied: .+\. If it is the provider's own store, name it in TRUSTED_OUTPUT_ORIGINS$/,
  );
});

it('a run whose execution is cancelled while its output is copied keeps no file', async () => {
  const { recorded, kept } = await recordRun([dataUrl(mp4)], false);
  expect(recorded).toHaveLength(1);
  expect(kept).toEqual([]);
});

it('the operator is warned of priced usage that a run neither reported nor showed', async () => {
  const { files, log, routeOf } = copying;
  const registry = createRegistry('dispatcher');
  const attempt = { ...(await copying.newRun()), connection: 'trusted', model: 'm', input: {} } as Attempt;
  const route = routeOf({ kind: 'text' });
  const definition = { ...route.definition, price: { per_output_token: '1' } };
  const recorded: RecordedOutcome[] = [];
  const services = {
    files,
    metrics: dispatcherMetrics(registry),
    slots: { release: async () => {} },
    recorder: {
      recordProgress: async () => {},
      recordOutcome: async (_id: string, outcome: RecordedOutcome) => recorded.push(outcome),
    },
  } as unknown as AttemptServices;
  const output = { text: 'hi' };
  const outcome = { ok: true, output, usage: { inputTokens: 0, outputTokens: 0 }, measured: {} } as const;
  const trace = { tracing: null, span: null, log };
  const never = new AbortController().signal;
  const whole = { ...route, definition } as Route;
  await applyProgress(services, trace, whole, attempt, { state: 'ended', outcome }, never);
  expect(recorded).toMatchObject([{ ok: true, billed: { estimated: ['output_tokens'] } }]);
  expect(await registry.metrics()).toMatch(
    /missing_usage_total\{connection="trusted",model="m",quantity="output_tokens".*\} 1/,
  );
});
