import { adminCommand } from '../admin/adminCommand.ts';
import { adminPath } from '../admin/api.ts';

export const executionsCancel = adminCommand({
  name: 'executions cancel',
  operands: ['execution'],
  request: (admin, [id]) => admin.request('POST', adminPath('executions', id, 'cancel')),
  show: (_body, { print }, [id]) => print(`${id} is cancelled.`),
});
