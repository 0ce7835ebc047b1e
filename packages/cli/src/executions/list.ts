import { executionStatuses } from '@holdfast/domain/statuses';
import { UsageError } from '@holdfast/kit/flags';
import { readList } from '../admin/api.ts';
import { type ExecutionRecord, execution } from '../admin/records.ts';
import type { Context } from '../command.ts';
import { readLimit, readOperands } from '../flags.ts';
import { printJson, printTable } from '../output/print.ts';
import { shownAge, sinceTime } from '../output/times.ts';

const options = {
  org: { type: 'string' },
  status: { type: 'string' },
  model: { type: 'string' },
  since: { type: 'string' },
  limit: { type: 'string' },
  json: { type: 'boolean' },
} as const;

export async function executionsList(args: string[], context: Context): Promise<number> {
  const { values } = readOperands('executions list', args, [], options);
  const { org, model, status } = values;
  if (status !== undefined && !executionStatuses.some((one) => one === status))
    throw new UsageError(`--status needs one of ${executionStatuses.join(', ')}`);
  const query = { organization_id: org, status, model, created_after: sinceTime(values.since) };
  const limit = readLimit(values.limit, 20);
  const list = await readList(context.openAdmin(), '/executions', { query, limit, item: execution });
  if (values.json) printJson(context, list);
  else {
    const owner = org === undefined ? { ORGANIZATION: (one: ExecutionRecord) => one.organization_id } : {};
    printTable(context, list.data, columns, { ID: ({ id }) => id, ...owner });
  }
  if (list.has_more && !values.json) context.report(`There are more than these ${limit}: raise --limit.`);
  return 0;
}

const columns = {
  STATUS: ({ status }: ExecutionRecord) => status,
  MODEL: ({ model }: ExecutionRecord) => model,
  COST: ({ cost }: ExecutionRecord) => cost ?? '',
  ERROR: ({ error }: ExecutionRecord) => error?.code ?? '',
  AGE: ({ created_at }: ExecutionRecord) => shownAge(created_at),
  TOOK: tookText,
};

function tookText({ created_at: from, completed_at: to }: ExecutionRecord): string {
  return to === null ? '' : `${((Date.parse(to) - Date.parse(from)) / 1000).toFixed(1)} s`;
}
