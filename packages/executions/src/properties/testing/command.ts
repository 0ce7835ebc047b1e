import { ApiError } from '@holdfast/domain/errors';
import fc from 'fast-check';
import type { Model } from './model.ts';
import type { Run } from './run.ts';

/** The result of a step as text: the model's is compared with the system's. */
export type StepResult = string;

/** A kind of step: its arguments, its expected effect, and how it is performed. */
export type Command<Args> = {
  args: fc.Arbitrary<Args>;
  /** Changes the model as the system should change. */
  expect(model: Model, args: Args): StepResult;
  /** Chooses its execution before it awaits, so that concurrent steps choose from the same ones. */
  perform(run: Run, args: Args): Promise<StepResult>;
};

export type Step = { expect(model: Model): StepResult; perform(run: Run): Promise<StepResult> };

/** Steps of this kind, which fast-check prints as `name {its arguments}`. */
export function stepsOf<Args>(name: string, command: Command<Args>): fc.Arbitrary<Step> {
  return command.args.map((args) => ({
    expect: (model) => command.expect(model, args),
    perform: (run) => command.perform(run, args),
    [fc.toStringMethod]: () => `${name} ${JSON.stringify(args)}`,
  }));
}

/** Steps choose from this number of latest executions: few, so that they meet. */
const reach = 6;
export const pick = fc.nat({ max: reach - 1 });
export const which = fc.constantFrom<0 | 1>(0, 1);
export const organization = fc.constantFrom(0, 1, 2);

/** Counted back from the latest; undefined while there are none. */
export function picked<One>(all: One[], back: number): One | undefined {
  return all[all.length - 1 - (back % Math.min(all.length, reach))];
}

/** The same among started executions. */
export function pickedRun<One extends { attempt: unknown }>(all: One[], back: number): One | undefined {
  return picked(
    all.filter(({ attempt }) => attempt !== null),
    back,
  );
}

export const nothing: StepResult = 'nothing to do';

/** The code of an ApiError; other errors are rethrown. */
export async function resultOf(work: Promise<StepResult>): Promise<StepResult> {
  return await work.catch((error: unknown) => {
    if (error instanceof ApiError) return error.code;
    throw error;
  });
}
