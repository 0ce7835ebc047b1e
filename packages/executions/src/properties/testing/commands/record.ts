import type { RecordedOutcome } from '@holdfast/domain/outcome';
import fc from 'fast-check';
import { holdOf, money, type Units } from '../amounts.ts';
import { type Command, nothing, pick, pickedRun, which } from '../command.ts';
import { dispatcher, type Which } from '../run.ts';

/** The cost of a run by its hold; `null` is a failure. */
const costs = {
  free: () => 0n,
  least: () => 1n,
  cheaper: (hold) => (hold * 2n) / 5n,
  equal: (hold) => hold,
  dearer: (hold) => hold + hold / 3n,
  ruinous: (hold) => hold * 10n,
  absurd: (hold) => hold * 10n + 1n,
  failure: () => null,
} as const satisfies Record<string, (hold: Units) => Units | null>;

/** Records an outcome of a run, the first or another. */
export const record: Command<{ by: Which; pick: number; cost: keyof typeof costs }> = {
  args: fc.record({
    by: which,
    pick,
    cost: fc.constantFrom(
      'cheaper',
      'equal',
      'dearer',
      'free',
      'least',
      'ruinous',
      'absurd',
      'failure',
      'failure',
    ),
  }),
  expect(model, args) {
    const execution = pickedRun(model.executions, args.pick);
    if (!execution?.attempt) return nothing;
    const { attempt, hold, isOverdue } = execution;
    if (attempt.isFinished) return 'done';
    const cost = costs[args.cost](hold);
    attempt.outcome = cost === null ? { ok: false } : { ok: true, cost };
    attempt.isFinished = true;
    attempt.inTime = !isOverdue;
    return 'done';
  },
  async perform(run, args) {
    const execution = pickedRun(run.executions, args.pick);
    if (!execution?.attempt) return nothing;
    const cost = costs[args.cost](holdOf(execution.request.estimatedCost));
    const outcome = cost === null ? failure : success(money(cost));
    execution.outcomes.push(outcome);
    const state = outcome.ok ? 'succeeded' : 'failed';
    await dispatcher(run, args.by).recorder.recordOutcome(execution.attempt.id, outcome, state);
    return 'done';
  },
};

export const failure: RecordedOutcome = { ok: false, code: 'GENERATION_FAILED', message: 'It failed.' };

export const success = (cost: string): RecordedOutcome => ({
  ok: true,
  output: { text: 'hi' },
  inputTokens: 1,
  outputTokens: 2,
  cost,
});
