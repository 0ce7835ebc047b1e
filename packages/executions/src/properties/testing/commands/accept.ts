import fc from 'fast-check';
import { type Command, nothing, pick, pickedRun, which } from '../command.ts';
import { dispatcher, type Which } from '../run.ts';

/** A provider has accepted the run and will call back or be polled. */
export const accept: Command<{ by: Which; pick: number; awaitsCallback: boolean }> = {
  args: fc.record({ by: which, pick, awaitsCallback: fc.boolean() }),
  expect(model, { pick: back, awaitsCallback }) {
    const execution = pickedRun(model.executions, back);
    if (!execution?.attempt) return nothing;
    if (execution.attempt.isFinished) return 'false';
    if (awaitsCallback && execution.status === 'PROCESSING') execution.status = 'AWAITING_WEBHOOK';
    return 'true';
  },
  async perform(run, { by, pick: back, awaitsCallback }) {
    const attempt = pickedRun(run.executions, back)?.attempt;
    if (!attempt) return nothing;
    const handle = { externalId: attempt.id };
    const accepted = { attemptId: attempt.id, handle, awaitsCallback, pollAfterMs: 1000 };
    return String(await dispatcher(run, by).recorder.recordRunning(accepted));
  },
};
