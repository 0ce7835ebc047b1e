import { recordProgress, type ToldProgress } from '@holdfast/db/attempts/outcomes';
import type { Database } from '@holdfast/db/client';
import { createBatcher } from '@holdfast/kit/batcher';
import type { Logger } from '@holdfast/kit/logger';

export type ProgressRecorder = {
  /** Never throws: what is not written now is told with the next answer of the provider. */
  record(told: ToldProgress): Promise<void>;
  idle(): Promise<void>;
};

/** What providers tell of runs that are being asked about at once shares a statement. */
export function openProgressRecorder(db: Database, log: Logger): ProgressRecorder {
  const batcher = createBatcher<ToldProgress, undefined>({
    maxSize: 256,
    async run(told) {
      await recordProgress(db, told).catch((error: unknown) =>
        log.warn({ err: error }, 'the progress of runs was not recorded'),
      );
      return told.map(() => undefined);
    },
  });
  return { record: batcher.add, idle: batcher.idle };
}
