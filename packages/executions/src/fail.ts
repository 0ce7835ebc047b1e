import type { Database } from '@holdfast/db/client';
import { failExecutions } from '@holdfast/db/executions/endings';
import type { EndingHints } from './hints.ts';
import { openSettler, type Settler } from './settle.ts';
import type { Told } from './told.ts';

/** PROCESSING, AWAITING_WEBHOOK -> FAILED: hold released entirely, `execution.failed`. */
export function openFailer(args: { db: Database; fanout: EndingHints['fanout']; ended: Told }): Settler {
  return openSettler({ ...args, end: failExecutions });
}
