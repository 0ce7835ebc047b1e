import { unsettledAttempts } from '@holdfast/db/sweeps';
import fc from 'fast-check';
import { type Command, nothing, pick, pickedRun, which } from '../command.ts';
import { end, isOpen, type Model, type ModelExecution } from '../model.ts';
import { ledger, type Which } from '../run.ts';

/** A settle job, the first or a repeated one, of the right kind or the other. */
export const settle: Command<{ by: Which; pick: number; as: 'complete' | 'fail' }> = {
  args: fc.record({ by: which, pick, as: fc.constantFrom('complete', 'complete', 'fail') }),
  expect(model, { pick: back, as }) {
    const execution = pickedRun(model.executions, back);
    if (!execution?.attempt) return nothing;
    if (execution.attempt.outcome?.ok === (as === 'complete')) expectSettled(model, execution);
    return 'done';
  },
  async perform(run, { by, pick: back, as }) {
    const attempt = pickedRun(run.executions, back)?.attempt;
    if (!attempt) return nothing;
    await ledger(run, by).settler.settle({ attemptId: attempt.id, ok: as === 'complete' });
    return 'done';
  },
};

/**
 * The sweep of outcomes without a job. Failures go first, so that their holds are released. One statement settles the
 * successes: first those costing at most their hold, then the others by id.
 */
export const settleSweep: Command<{ by: Which }> = {
  args: fc.record({ by: which }),
  expect(model) {
    const order = ({ attempt, hold }: ModelExecution) => {
      if (!attempt?.outcome?.ok) return 0;
      return attempt.outcome.cost > hold ? 2 : 1;
    };
    const all = model.executions.toSorted((one, other) => order(one) - order(other));
    for (const execution of all) expectSettled(model, execution);
    return 'done';
  },
  async perform(run, { by }) {
    const { db, settler } = ledger(run, by);
    // Outcomes of any age are settled, this moment's included.
    const lost = await unsettledAttempts(db, -1);
    for (const isOk of [false, true]) {
      await Promise.all(lost.filter(({ ok }) => ok === isOk).map(settler.settle));
    }
    return 'done';
  },
};

function expectSettled(model: Model, execution: ModelExecution): void {
  const { attempt } = execution;
  if (!attempt?.outcome) return;
  attempt.isSettled = true;
  if (!isOpen(execution) || !attempt.inTime) return;
  if (attempt.outcome.ok) end(model, execution, 'COMPLETED', attempt.outcome.cost);
  else end(model, execution, 'FAILED', null);
}
