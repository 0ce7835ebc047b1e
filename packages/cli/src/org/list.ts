import { readList } from '../admin/api.ts';
import { organization } from '../admin/records.ts';
import type { Context } from '../command.ts';
import { readLimit, readOperands } from '../flags.ts';
import { printJson, printTable } from '../output/print.ts';
import { shownAge } from '../output/times.ts';
import { spendText } from './facts.ts';

export async function orgList(args: string[], context: Context): Promise<number> {
  const options = {
    json: { type: 'boolean' },
    name: { type: 'string' },
    test: { type: 'boolean' },
    sort: { type: 'string' },
    'runs-low': { type: 'boolean' },
    limit: { type: 'string' },
  } as const;
  const { values } = readOperands('org list', args, [], options);
  const limit = readLimit(values.limit, 100);
  const query = {
    text: values.name,
    test: values.test ? 'true' : undefined,
    sort: values.sort,
    runs_low: values['runs-low'] ? 'true' : undefined,
    include: 'balance,spend',
  };
  const list = await readList(context.openAdmin(), '/organizations', { query, limit, item: organization });
  if (values.json) printJson(context, list);
  else
    printTable(
      context,
      list.data,
      {
        NAME: ({ name }) => name,
        AVAILABLE: (one) => `${one.balance?.available ?? '-'}${one.runs_low ? ' (low)' : ''}`,
        '30 DAYS': (one) => one.spend?.last_30_days ?? '-',
        'MONTHLY SPEND': (one) => spendText(one.spend_limit),
        CONCURRENCY: (one) => String(one.max_concurrency ?? '-'),
        AGE: (one) => shownAge(one.created_at),
      },
      { ID: ({ id }) => id },
    );
  if (list.has_more && !values.json) context.report(`There are more than these ${limit}: raise --limit.`);
  return 0;
}
