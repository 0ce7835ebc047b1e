import fc from 'fast-check';
import { type Command, nothing, pick, picked, which } from '../command.ts';
import { testRoute } from '../processes.ts';
import { dispatcher, type Which } from '../run.ts';

/** A dispatch job, the first or a repeated one. */
export const start: Command<{ by: Which; pick: number }> = {
  args: fc.record({ by: which, pick }),
  expect(model, args) {
    const execution = picked(model.executions, args.pick);
    if (!execution) return nothing;
    if (execution.status !== 'PENDING' || execution.isOverdue) return 'not started';
    execution.status = 'PROCESSING';
    execution.wasStarted = true;
    execution.attempt = { isFinished: false, outcome: null, inTime: false, isSettled: false };
    return 'started';
  },
  async perform(run, args) {
    const execution = picked(run.executions, args.pick);
    if (!execution) return nothing;
    const started = await dispatcher(run, args.by).starter.start(execution.id, testRoute);
    if (!started) return 'not started';
    execution.attempt = { id: started.attemptId, token: started.attemptToken };
    return 'started';
  },
};
