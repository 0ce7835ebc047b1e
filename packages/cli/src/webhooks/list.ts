import { readList, webhooksPath } from '../admin/api.ts';
import { webhookEndpoint } from '../admin/records.ts';
import type { Context } from '../command.ts';
import { readOperands } from '../flags.ts';
import { printJson, printTable } from '../output/print.ts';
import { shownAge } from '../output/times.ts';

export async function webhooksList(args: string[], context: Context): Promise<number> {
  const { operands, values } = readOperands('webhooks list', args, ['org'], { json: { type: 'boolean' } });
  const list = await readList(context.openAdmin(), webhooksPath(operands[0], 'endpoints'), {
    field: 'endpoints',
    limit: 10_000,
    item: webhookEndpoint,
  });
  if (values.json) printJson(context, list);
  else
    printTable(
      context,
      list.data,
      {
        ACTIVE: (one) => (one.is_active ? 'yes' : 'no'),
        FAILURES: (one) => String(one.failure_count),
        'LAST SUCCESS': (one) => agoText(one.last_success),
        'LAST FAILURE': (one) => agoText(one.last_failure),
        'LAST ERROR': (one) => one.last_error ?? '',
      },
      { ID: ({ id }) => id, URL: ({ url }) => url },
    );
  return 0;
}

const agoText = (time: string | null) => (time === null ? 'never' : `${shownAge(time)} ago`);
