import { askCommand } from '../admin/askCommand.ts';
import { adminPath } from '../admin/path.ts';

export const executionsCancel = askCommand({
  name: 'executions cancel',
  operands: ['execution'],
  ask: (admin, [id]) => admin.ask('POST', adminPath('executions', id, 'cancel')),
  show: (_answer, { say }, [id]) => say(`${id} is cancelled.`),
});
