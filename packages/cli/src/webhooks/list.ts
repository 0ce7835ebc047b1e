import { readList } from '../admin/list.ts';
import { webhookEndpoint } from '../admin/shapes.ts';
import type { Command } from '../command.ts';
import { readOperands } from '../flags.ts';
import { sayJson, sayTable } from '../output/print.ts';
import { shownTime } from '../output/times.ts';
import { webhooksPath } from './paths.ts';

export const webhooksList: Command = {
  name: 'webhooks list',
  about: "list an organization's webhook endpoints and how they do",
  usage: 'holdfast webhooks list <org> [--json]',
  async run(args, context) {
    const { operands, values } = readOperands('webhooks list', args, ['org'], { json: { type: 'boolean' } });
    const list = await readList(context.openAdmin(), webhooksPath(operands[0], 'endpoints'), {
      field: 'endpoints',
      limit: 10_000,
      item: webhookEndpoint,
    });
    if (values.json) sayJson(context, list);
    else
      sayTable(
        context,
        ['ID', 'ACTIVE', 'FAILURES', 'LAST SUCCESS', 'LAST FAILURE', 'URL', 'LAST ERROR'],
        list.data.map((one) => [
          one.id,
          one.is_active ? 'yes' : 'no',
          String(one.failure_count),
          shownTime(one.last_success),
          shownTime(one.last_failure),
          one.url,
          one.last_error ?? '',
        ]),
      );
    return 0;
  },
};
