import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { unknownExecutions } from '@holdfast/db/audit/unknownExecutions';
import type { Database } from '@holdfast/db/client';

/** What logs say about an execution that the database does not have. */
export type LostExecution = {
  id: string;
  organizationId: string | null;
  model: string | null;
  /** The providers that may have run it. */
  providers: string[];
  /** Whether a run of it succeeded, so that its result exists somewhere. */
  hasSucceeded: boolean;
  deliveredWebhooks: number;
};

const idForm = /exec_[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

/**
 * Reads log lines of services, also with a prefix (`docker compose logs`, `kubectl logs --prefix`), and any other text that
 * names executions, such as a customer's list.
 */
export async function findLostExecutions(db: Database, files: readonly string[]): Promise<LostExecution[]> {
  const named = new Map<string, LostExecution>();
  for (const file of files) {
    const input = file === '-' ? process.stdin : createReadStream(file);
    for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
      readLine(line, named);
    }
  }
  const unknown = await unknownExecutions(db.pool, [...named.keys()]);
  return unknown.flatMap((id) => named.get(id) ?? []);
}

type Line = Partial<Record<string, unknown>>;

function readLine(line: string, named: Map<string, LostExecution>): void {
  const entry = entryOf(line);
  // Clients may ask for executions that never existed; only an accepted one is evidence.
  if (entry?.['msg'] === 'request' && !(entry['method'] === 'POST' && entry['status'] === 202)) return;
  for (const id of new Set(line.match(idForm))) {
    const known = named.get(id) ?? blank(id);
    named.set(id, entry === null ? known : withEntry(known, entry));
  }
}

function entryOf(line: string): Line | null {
  const start = line.indexOf('{');
  if (start < 0) return null;
  try {
    const entry: unknown = JSON.parse(line.slice(start));
    return typeof entry === 'object' && entry !== null && 'msg' in entry ? entry : null;
  } catch {
    return null;
  }
}

const blank = (id: string): LostExecution => ({
  id,
  organizationId: null,
  model: null,
  providers: [],
  hasSucceeded: false,
  deliveredWebhooks: 0,
});

const textOf = (value: unknown) => (typeof value === 'string' ? value : null);

function withEntry(known: LostExecution, entry: Line): LostExecution {
  const { msg, connection, organizationId, model, state, outcome } = entry;
  const ran = msg === 'run started' || msg === 'run ended' ? textOf(connection) : null;
  return {
    ...known,
    organizationId: textOf(organizationId) ?? known.organizationId,
    model: textOf(model) ?? known.model,
    providers: ran === null || known.providers.includes(ran) ? known.providers : [...known.providers, ran],
    hasSucceeded: known.hasSucceeded || (msg === 'run ended' && state === 'succeeded'),
    deliveredWebhooks:
      known.deliveredWebhooks + (msg === 'webhook attempt' && outcome === 'delivered' ? 1 : 0),
  };
}
