import { UsageError } from '@holdfast/kit/flags';
import { z } from 'zod';
import { adminPath } from '../admin/api.ts';
import { newKey } from '../balance/adjust.ts';
import type { Context, RunCommand } from '../command.ts';
import { readOperands } from '../flags.ts';
import { printJson } from '../output/print.ts';
import { sinceTime } from '../output/times.ts';

const options = {
  status: { type: 'string' },
  model: { type: 'string' },
  error: { type: 'string' },
  since: { type: 'string' },
  yes: { type: 'boolean' },
  'idempotency-key': { type: 'string' },
  json: { type: 'boolean' },
} as const;

const page = z.object({
  matched: z.number(),
  cancelled: z.number().optional(),
  created: z.number().optional(),
  replayed: z.number().optional(),
  skipped: z.array(z.object({ rerun_of: z.string(), code: z.string(), message: z.string() })).optional(),
  next_cursor: z.string().nullable(),
});

type Total = { matched: number; cancelled: number; created: number; replayed: number; skipped: number };

export const executionsBulkCancel = bulk('bulk-cancel', ({ cancelled }) => `${cancelled} were cancelled.`);

export const executionsBulkRerun = bulk('bulk-rerun', ({ created, replayed, skipped }) =>
  [
    `${created} were created.`,
    ...(replayed > 0 ? [`${replayed} had been created before.`] : []),
    ...(skipped > 0 ? [`${skipped} cannot run again.`] : []),
  ].join(' '),
);

/** Counts what matches and, with --yes, then works through it. It may be run again at any time. */
function bulk(name: 'bulk-cancel' | 'bulk-rerun', shown: (total: Total) => string): RunCommand {
  return async (args, context) => {
    const { operands, values } = readOperands(`executions ${name}`, args, ['org'], options);
    const filter = filterOf(values);
    if (Object.keys(filter).length === 0)
      throw new UsageError(`holdfast executions ${name} needs a filter: ${filterFlags}`);
    const path = adminPath('organizations', operands[0], 'executions', name);
    const counted = await allParts(context, path, { filter, dry_run: true });
    const show = (total: Partial<Total>, text: string) =>
      values.json ? printJson(context, total) : context.print(text);
    if (!values.yes) {
      show({ matched: counted.matched }, `${counted.matched} executions match. Nothing was done: add --yes.`);
      return 0;
    }
    if (counted.matched > 0) context.report(`${counted.matched} executions match`);
    const key = name === 'bulk-rerun' ? (values['idempotency-key'] ?? newKey(context)) : null;
    const total = await allParts(context, path, { filter }, key);
    show(total, shown(total));
    return 0;
  };
}

const filterFlags = '--status, --model, --error or --since';

type Filters = { status?: string; model?: string; error?: string; since?: string };

function filterOf({ status, model, error, since }: Filters): object {
  const given = {
    status: status?.split(','),
    model,
    error_code: error?.split(','),
    created_after: sinceTime(since),
  };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

async function allParts(context: Context, path: string, body: object, key: string | null = null) {
  const admin = context.openAdmin();
  const total: Total = { matched: 0, cancelled: 0, created: 0, replayed: 0, skipped: 0 };
  const headers: Record<string, string> = key === null ? {} : { 'idempotency-key': key };
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const part = page.parse(await admin.request('POST', path, { body: { ...body, cursor }, headers }));
    total.matched += part.matched;
    for (const name of ['cancelled', 'created', 'replayed'] as const) total[name] += part[name] ?? 0;
    for (const one of part.skipped ?? []) context.report(`${one.rerun_of}: ${one.message} (${one.code})`);
    total.skipped += part.skipped?.length ?? 0;
    cursor = part.next_cursor;
    if (cursor !== null) context.report(`${total.matched} so far`);
  }
  return total;
}
