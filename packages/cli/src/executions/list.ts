import { executionStatuses } from '@holdfast/domain/statuses';
import { readList } from '../admin/list.ts';
import { type ExecutionRecord, execution } from '../admin/shapes.ts';
import type { Command } from '../command.ts';
import { readLimit, readOperands } from '../flags.ts';
import { sayJson, sayTable } from '../output/print.ts';
import { shownTime, sinceTime } from '../output/times.ts';
import { UsageError } from '../usageError.ts';

const options = {
  org: { type: 'string' },
  status: { type: 'string' },
  model: { type: 'string' },
  since: { type: 'string' },
  limit: { type: 'string' },
  json: { type: 'boolean' },
} as const;

export const executionsList: Command = {
  name: 'executions list',
  about:
    'list executions, newest first; of everybody unless --org says whose: then those of 30 days, or --since',
  usage: `holdfast executions list [--org ORG] [--status ${executionStatuses.join('|')}]
    [--model SLUG] [--since 2h] [--limit 20] [--json]`,
  examples: 'holdfast executions list --status FAILED --since 1h',
  async run(args, context) {
    const { values } = readOperands('executions list', args, [], options);
    const { org, model, status } = values;
    if (status !== undefined && !executionStatuses.some((one) => one === status))
      throw new UsageError(`--status needs one of ${executionStatuses.join(', ')}`);
    const query = { organization_id: org, status, model, created_after: sinceTime(values.since) };
    const limit = readLimit(values.limit, 20);
    const list = await readList(context.openAdmin(), '/executions', { query, limit, item: execution });
    if (values.json) sayJson(context, list);
    else {
      const whose = org === undefined ? ['ORGANIZATION'] : [];
      const heads = ['ID', ...whose, 'STATUS', 'MODEL', 'CREATED', 'TOOK', 'COST', 'ERROR'];
      sayTable(context, heads, rowsOf(list.data, whose.length > 0));
    }
    if (list.has_more && !values.json) context.tell(`There are more than these ${limit}: --limit`);
    return 0;
  },
};

const rowsOf = (executions: ExecutionRecord[], areOfMany: boolean) =>
  executions.map((one) => [
    one.id,
    ...(areOfMany ? [one.organization_id] : []),
    one.status,
    one.model,
    shownTime(one.created_at),
    tookText(one),
    one.cost ?? '',
    one.error?.code ?? '',
  ]);

function tookText({ created_at: from, completed_at: to }: ExecutionRecord): string {
  return to === null ? '' : `${((Date.parse(to) - Date.parse(from)) / 1000).toFixed(1)} s`;
}
