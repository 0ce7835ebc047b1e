import type { RecordedOutcome } from '@holdfast/domain/outcome';
import { mp4, png } from '@holdfast/files/testing/media';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Context } from './context.ts';
import { finish } from './finish.ts';
import type { Route } from './route.ts';
import type { Run } from './submission.ts';
import { madeBy, modelOf, startCopying } from './testing/copying.ts';

let copying: Awaited<ReturnType<typeof startCopying>>;
beforeAll(async () => {
  copying = await startCopying();
});
afterAll(() => copying.close());

/** What is recorded of a run that made this, and the files that stay. */
async function finished(urls: string[], isTaken = true) {
  const run = await copying.newRun();
  const recorded: { outcome: RecordedOutcome; state: string; raw: string | undefined }[] = [];
  const outcomes = {
    record: async (_id: string, outcome: RecordedOutcome, state: string, raw?: string) => {
      recorded.push({ outcome, state, raw });
      return isTaken;
    },
  };
  const model = modelOf({ kind: 'videos' });
  const definition = { ...model.definition, price: { per_megapixel: '1' } };
  await finish(
    { ...copying.context, outcomes, tracing: null } as unknown as Context,
    { ...model, definition } as Route,
    run as Run,
    { state: 'ended', outcome: madeBy('videos', ...urls) },
    'succeeded',
    new AbortController().signal,
  );
  return { recorded, kept: (await copying.filesOf(run.id)).filter(({ kept }) => kept) };
}

const dataUrl = (bytes: Buffer) => `data:application/octet-stream;base64,${bytes.toString('base64')}`;

it('a run is priced by the pixels that were stored', async () => {
  const { recorded, kept } = await finished([dataUrl(mp4)]);
  expect(recorded).toMatchObject([{ state: 'succeeded', outcome: { ok: true, cost: '0.23040000' } }]);
  expect(kept).toHaveLength(1);
});

it('a run whose output can not be stored has failed: nothing is charged, no file stays', async () => {
  const { recorded, kept } = await finished([dataUrl(mp4), dataUrl(png)]);
  expect(recorded).toMatchObject([{ state: 'failed', outcome: { ok: false, code: 'GENERATION_FAILED' } }]);
  expect(recorded[0]?.outcome).not.toHaveProperty('cost');
  // For the operator: why.
  expect(recorded[0]?.raw).toBe('The output was not copied: an output is not a file of the promised kind');
  expect(kept).toEqual([]);
});

it('the operator reads how a file in the network of its provider is let in', async () => {
  const { recorded } = await finished(['http://minio.lan:9000/a.mp4']);
  expect(recorded[0]?.outcome).toMatchObject({ message: 'The output could not be stored.' });
  expect(recorded[0]?.raw).toMatch(
    /^The output was not copied: .+\. If it is the provider's own store, name it in TRUSTED_OUTPUT_ORIGINS$/,
  );
});

it('a run whose execution was cancelled while its output was copied leaves no file behind', async () => {
  const { recorded, kept } = await finished([dataUrl(mp4)], false);
  expect(recorded).toHaveLength(1);
  expect(kept).toEqual([]);
});
