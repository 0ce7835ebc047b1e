import { readList } from '../admin/list.ts';
import { organization } from '../admin/shapes.ts';
import type { Command } from '../command.ts';
import { readLimit, readOperands } from '../flags.ts';
import { sayJson, sayTable } from '../output/print.ts';
import { shownTime } from '../output/times.ts';
import { spendText } from './facts.ts';

export const orgList: Command = {
  name: 'org list',
  about: 'list organizations, newest first; with --test also those that test keys lead to',
  usage: 'holdfast org list [--test] [--limit 100] [--json]',
  async run(args, context) {
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
        ['ID', 'NAME', 'CREATED', 'AT ONCE', 'SPENT THIS MONTH'],
        list.data.map((one) => [
          one.id,
          one.name,
          shownTime(one.created_at),
          String(one.max_concurrency ?? '-'),
          spendText(one.spend_limit),
        ]),
      );
    return 0;
  },
};
