import { attemptsToStop, markStopped } from '@holdfast/db/attempts/lease';
import fc from 'fast-check';
import { type Command, nothing, pick, picked, which } from '../command.ts';
import { isOpen } from '../model.ts';
import { dispatcher, type Which } from '../run.ts';

/** An abort job: stops the run of an ended execution, which then has no outcome. */
export const stop: Command<{ by: Which; pick: number }> = {
  args: fc.record({ by: which, pick }),
  expect(model, args) {
    const execution = picked(model.executions, args.pick);
    if (!execution) return nothing;
    const { attempt } = execution;
    if (isOpen(execution) || !attempt || attempt.isFinished) return '0 stopped';
    attempt.isFinished = true;
    return '1 stopped';
  },
  async perform(run, args) {
    const execution = picked(run.executions, args.pick);
    if (!execution) return nothing;
    const { db } = dispatcher(run, args.by);
    const runs = await attemptsToStop(db, execution.id);
    await markStopped(
      db,
      runs.map(({ attemptId }) => attemptId),
    );
    return `${runs.length} stopped`;
  },
};
