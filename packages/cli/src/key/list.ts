import { readList } from '../admin/list.ts';
import { adminPath } from '../admin/path.ts';
import { apiKey } from '../admin/shapes.ts';
import type { Command } from '../command.ts';
import { readOperands } from '../flags.ts';
import { spendText } from '../org/facts.ts';
import { sayJson, sayTable } from '../output/print.ts';
import { shownTime } from '../output/times.ts';

export const keyList: Command = {
  name: 'key list',
  about: "list an organization's API keys, revoked ones too; never their values",
  usage: 'holdfast key list <org> [--json]',
  async run(args, context) {
    const { operands, values } = readOperands('key list', args, ['org'], { json: { type: 'boolean' } });
    const path = adminPath('organizations', operands[0], 'api-keys');
    const list = await readList(context.openAdmin(), path, { limit: 10_000, item: apiKey });
    if (values.json) sayJson(context, list);
    else
      sayTable(
        context,
        ['ID', 'NAME', 'BEGINS', 'MODE', 'SCOPES', 'CREATED', 'EXPIRES', 'REVOKED', 'SPENT THIS MONTH'],
        list.data.map((one) => [
          one.id,
          one.name,
          one.prefix,
          one.mode,
          one.permissions === 'full' ? 'all' : one.scopes.join(' '),
          shownTime(one.created_at),
          shownTime(one.expires_at),
          shownTime(one.revoked_at),
          spendText(one.spend_limit),
        ]),
      );
    return 0;
  },
};
