import { type Refusal, recordRefusals } from '@holdfast/db/attempts/recordRefusals';
import type { Database } from '@holdfast/db/client';
import { persistently } from '@holdfast/db/persistently';
import { createBatcher } from '@holdfast/kit/batcher';
import type { Logger } from '@holdfast/kit/logger';

/** After that another dispatcher finds the try unfinished, and asks the provider about it. */
const recordForMs = 60_000;

export type RefusalRecorder = {
  /** Ends a try that its provider did not accept, and writes the next one, which waits for its time. */
  record(refusal: Refusal): Promise<void>;
  idle(): Promise<void>;
};

export function openRefusalRecorder(db: Database, log: Logger): RefusalRecorder {
  const batcher = createBatcher<Refusal, undefined>({
    maxSize: 256,
    async run(refusals) {
      await persistently(log, recordForMs, () => recordRefusals(db, refusals));
      return refusals.map(() => undefined);
    },
  });
  return { record: batcher.add, idle: batcher.idle };
}
