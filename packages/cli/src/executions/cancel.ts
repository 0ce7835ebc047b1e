import { askCommand } from '../admin/askCommand.ts';
import { adminPath } from '../admin/path.ts';

export const executionsCancel = askCommand({
  name: 'executions cancel',
  about: 'cancel an execution of any organization: its hold is released at once, its provider told to stop',
  usage: 'holdfast executions cancel <execution> [--json]',
  operands: ['execution'],
  ask: (admin, [id]) => admin.ask('POST', adminPath('executions', id, 'cancel')),
  show: (_answer, { say }, [id]) => say(`${id} is cancelled.`),
});
