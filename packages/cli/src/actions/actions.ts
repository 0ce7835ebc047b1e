import { z } from 'zod';
import { readList } from '../admin/api.ts';
import type { Context } from '../command.ts';
import { readLimit, readOperands } from '../flags.ts';
import { printJson, printTable } from '../output/print.ts';
import { shownUtc, sinceTime } from '../output/times.ts';

const options = {
  org: { type: 'string' },
  action: { type: 'string' },
  actor: { type: 'string' },
  since: { type: 'string' },
  limit: { type: 'string' },
  json: { type: 'boolean' },
} as const;

const adminAction = z.looseObject({
  at: z.string(),
  actor: z.string(),
  address: z.string(),
  action: z.string(),
  organization_id: z.string().nullable(),
  target: z.string().nullable(),
  status: z.number().nullable(),
});

export async function actions(args: string[], context: Context): Promise<number> {
  const { org, action, actor, since, ...values } = readOperands('actions', args, [], options).values;
  const query = { organization_id: org, action, actor, from: sinceTime(since) };
  const limit = readLimit(values.limit, 20);
  const list = await readList(context.openAdmin(), '/actions', { query, limit, item: adminAction });
  if (values.json) printJson(context, list);
  else
    printTable(context, list.data, columns, {
      ORGANIZATION: (one) => one.organization_id ?? '',
      TARGET: (one) => one.target ?? '',
    });
  if (list.has_more && !values.json) context.report(`There are more than these ${limit}: raise --limit.`);
  return 0;
}

type Action = z.infer<typeof adminAction>;

const columns = {
  'AT (UTC)': ({ at }: Action) => shownUtc(at),
  STATUS: ({ status }: Action) => (status === null ? 'unknown' : String(status)),
  WHO: ({ actor }: Action) => actor,
  ACTION: ({ action }: Action) => action.replace('/admin/v1', ''),
  FROM: ({ address }: Action) => address,
};
