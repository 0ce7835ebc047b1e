import type { Command } from '../command.ts';
import { readOperands } from '../flags.ts';
import { sayJson } from '../output/print.ts';

export const executionsCancel: Command = {
  name: 'executions cancel',
  about: 'cancel an execution of any organization: its hold is released at once, its provider told to stop',
  usage: 'holdfast executions cancel <execution> [--json]',
  async run(args, context) {
    const options = { json: { type: 'boolean' } } as const;
    const { operands, values } = readOperands('executions cancel', args, ['execution'], options);
    const [id] = operands;
    const answer = await context.openAdmin().ask('POST', `/executions/${encodeURIComponent(id)}/cancel`);
    if (values.json) sayJson(context, answer);
    else context.say(`${id} is cancelled.`);
    return 0;
  },
};
