import fc from 'fast-check';
import { expireDue } from '../../../lifecycle.ts';
import { type Command, pick, picked, which } from '../command.ts';
import { end, isOpen, type ModelExecution } from '../model.ts';
import { passTime } from '../passTime.ts';
import { ledger, type Which } from '../run.ts';

/** Makes an execution, or all of them, overdue. */
export const timePasses: Command<{ pick: number | 'all' }> = {
  args: fc.record({ pick }),
  expect(model, { pick: back }) {
    const late = back === 'all' ? model.executions : [picked(model.executions, back)];
    for (const execution of late) if (execution) execution.isOverdue = true;
    return 'done';
  },
  async perform(run, { pick: back }) {
    const late = back === 'all' ? run.executions : [picked(run.executions, back)];
    const ids = late.flatMap((execution) => (execution ? [execution.id] : []));
    await passTime(run.processes.owner, ids);
    return 'done';
  },
};

/** The sweep that expires overdue executions, except those with a result that was recorded in time. */
export const expire: Command<{ by: Which }> = {
  args: fc.record({ by: which }),
  expect(model) {
    for (const execution of model.executions.filter(isExpirable)) end(model, execution, 'EXPIRED', null);
    return 'done';
  },
  async perform(run, { by }) {
    const { db, hints, onExpired } = ledger(run, by);
    await expireDue({ db, hints, onEnded: onExpired, locked: new Set() });
    return 'done';
  },
};

function isExpirable(execution: ModelExecution): boolean {
  const { attempt, isOverdue } = execution;
  return isOpen(execution) && isOverdue && !(attempt?.outcome && attempt.inTime && !attempt.isSettled);
}
