import { z } from 'zod';
import { readList } from '../admin/list.ts';
import type { Command } from '../command.ts';
import { readLimit, readOperands } from '../flags.ts';
import { sayJson, sayTable } from '../output/print.ts';
import { shownTime, sinceTime } from '../output/times.ts';

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

export const actions: Command = {
  name: 'actions',
  about:
    'list what operators did, over the admin API and by commands that go past it, newest first; refused requests too',
  usage:
    'holdfast actions [--org ORG] [--action TEXT] [--actor NAME] [--since 2h]\n    [--limit 20] [--json]',
  examples: 'holdfast actions --action top-ups --since 24h',
  async run(args, context) {
    const { org, action, actor, since, ...values } = readOperands('actions', args, [], options).values;
    const query = { organization_id: org, action, actor, from: sinceTime(since) };
    const limit = readLimit(values.limit, 20);
    const list = await readList(context.openAdmin(), '/actions', { query, limit, item: adminAction });
    if (values.json) sayJson(context, list);
    else
      sayTable(
        context,
        ['AT', 'WHO', 'FROM', 'WHAT', 'ORGANIZATION', 'TARGET', 'STATUS'],
        list.data.map(rowOf),
      );
    if (list.has_more && !values.json) context.tell(`There are more than these ${limit}: --limit`);
    return 0;
  },
};

const rowOf = (one: z.infer<typeof adminAction>) => [
  shownTime(one.at),
  one.actor,
  one.address,
  one.action.replace('/admin/v1', ''),
  one.organization_id ?? '',
  one.target ?? '',
  one.status === null ? 'unknown' : String(one.status),
];
