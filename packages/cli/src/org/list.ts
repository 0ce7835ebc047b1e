import { readList } from '../admin/list.ts';
import { organization } from '../admin/shapes.ts';
import type { Context } from '../command.ts';
import { readLimit, readOperands } from '../flags.ts';
import { sayJson } from '../output/print.ts';
import { sayTable } from '../output/table.ts';
import { shownAge } from '../output/times.ts';
import { spendText } from './facts.ts';

export async function orgList(args: string[], context: Context): Promise<number> {
  const options = {
    json: { type: 'boolean' },
    test: { type: 'boolean' },
    limit: { type: 'string' },
  } as const;
  const { values } = readOperands('org list', args, [], options);
  const limit = readLimit(values.limit, 100);
  const query = { test: values.test ? 'true' : undefined };
  const list = await readList(context.openAdmin(), '/organizations', { query, limit, item: organization });
  if (values.json) sayJson(context, list);
  else
    sayTable(
      context,
      list.data,
      {
        NAME: ({ name }) => name,
        'SPENT THIS MONTH': (one) => spendText(one.spend_limit),
        'AT ONCE': (one) => String(one.max_concurrency ?? '-'),
        AGE: (one) => shownAge(one.created_at),
      },
      { ID: ({ id }) => id },
    );
  return 0;
}
