import fc from 'fast-check';
import { erase as eraseExecution } from '../../../lifecycle.ts';
import { type Command, nothing, pick, picked, resultOf, which } from '../command.ts';
import { isOpen } from '../model.ts';
import { gateway, type Which } from '../run.ts';

/** Erases the content of an execution and keeps its status and money. */
export const erase: Command<{ by: Which; pick: number }> = {
  args: fc.record({ by: which, pick }),
  expect(model, args) {
    const execution = picked(model.executions, args.pick);
    if (!execution) return nothing;
    if (isOpen(execution)) return 'EXECUTION_NOT_TERMINAL';
    if (execution.attempt) execution.attempt.isSettled = true;
    return 'erased';
  },
  async perform(run, args) {
    const execution = picked(run.executions, args.pick);
    if (!execution) return nothing;
    const { id, organizationId } = execution;
    return await resultOf(eraseExecution(gateway(run, args.by).db, organizationId, id).then(() => 'erased'));
  },
};
