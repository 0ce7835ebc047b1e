import {
  type BusyRefusal,
  type Refusal,
  recordBusyRefusals,
  recordRefusals,
} from '@holdfast/db/attempts/outcomes';
import type { Database } from '@holdfast/db/client';
import { persistently } from '@holdfast/db/persistently';
import { createBatcher } from '@holdfast/kit/batcher';
import type { Logger } from '@holdfast/kit/logger';

/** After that another dispatcher finds the try unfinished, and asks the provider about it. */
const recordForMs = 60_000;

export type RefusalRecorder = {
  /** Ends a try that its provider did not accept, and writes the next one, which waits for its time. */
  record(refusal: Refusal): Promise<void>;
  /** Has a try wait whose provider is busy. */
  putOff(refusal: BusyRefusal): Promise<void>;
  idle(): Promise<void>;
};

export function openRefusalRecorder(db: Database, log: Logger): RefusalRecorder {
  const batcherOf = <Item>(write: (db: Database, items: Item[]) => Promise<unknown>) =>
    createBatcher<Item, undefined>({
      maxSize: 256,
      async run(items) {
        await persistently(log, recordForMs, () => write(db, items));
        return items.map(() => undefined);
      },
    });
  const refused = batcherOf(recordRefusals);
  const busy = batcherOf(recordBusyRefusals);
  return {
    record: refused.add,
    putOff: busy.add,
    async idle() {
      await Promise.all([refused.idle(), busy.idle()]);
    },
  };
}
