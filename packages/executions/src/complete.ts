import type { Database } from '@holdfast/db/client';
import { completeExecutions } from '@holdfast/db/executions/endings';
import type { EndingHints } from './hints.ts';
import { openSettler, type Settler } from './settle.ts';
import type { Told } from './told.ts';

/** PROCESSING, AWAITING_WEBHOOK -> COMPLETED: hold settled to the actual cost, `execution.completed`. */
export function openCompleter(args: { db: Database; fanout: EndingHints['fanout']; ended: Told }): Settler {
  return openSettler({ ...args, end: completeExecutions });
}
