import fc from 'fast-check';
import { cancel as cancelExecution } from '../../../lifecycle.ts';
import { type Command, nothing, pick, picked, resultOf, which } from '../command.ts';
import { end, isOpen } from '../model.ts';
import { gateway, type Which } from '../run.ts';

/** A client cancels its own execution or another organization's. */
export const cancel: Command<{ by: Which; pick: number; isStranger: boolean }> = {
  args: fc.record({ by: which, pick, isStranger: fc.integer({ min: 0, max: 7 }).map((n) => n === 7) }),
  expect(model, { pick: back, isStranger }) {
    const execution = picked(model.executions, back);
    if (!execution) return nothing;
    if (isStranger) return 'NOT_FOUND';
    if (isOpen(execution)) end(model, execution, 'CANCELLED', null);
    return execution.status === 'CANCELLED' ? 'CANCELLED' : 'EXECUTION_ALREADY_TERMINAL';
  },
  async perform(run, { by, pick: back, isStranger }) {
    const execution = picked(run.executions, back);
    if (!execution) return nothing;
    const { id, organizationId } = execution;
    const strangers = run.organizationIds.filter((other) => other !== organizationId);
    const asker = (isStranger && strangers[0]) || organizationId;
    const response = await resultOf(
      cancelExecution(gateway(run, by), asker, id).then(({ status }) => status),
    );
    if (response === 'CANCELLED') run.acceptedCancels.push(id);
    if (response === 'EXECUTION_ALREADY_TERMINAL') run.refusedCancels.push(id);
    return response;
  },
};
