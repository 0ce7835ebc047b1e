import { ApiError } from '@holdfast/domain/errors';
import fc from 'fast-check';
import type { Model } from './model.ts';
import type { Run } from './run.ts';

/** What a step answers, as text: the model's is compared with the system's. */
export type Answer = string;

/** A kind of step: what it may be given, what it is expected to do, and how it is done. */
export type Command<Args> = {
  args: fc.Arbitrary<Args>;
  /** Changes the model as the system is to be changed. */
  expect(model: Model, args: Args): Answer;
  /** What it acts on is chosen before anything is awaited: of steps at once, each sees what was there before. */
  perform(run: Run, args: Args): Promise<Answer>;
};

export type Step = { expect(model: Model): Answer; perform(run: Run): Promise<Answer> };

/** Steps of this kind, which fast-check prints as `name {its arguments}`. */
export function stepsOf<Args>(name: string, command: Command<Args>): fc.Arbitrary<Step> {
  return command.args.map((args) => ({
    expect: (model) => command.expect(model, args),
    perform: (run) => command.perform(run, args),
    [fc.toStringMethod]: () => `${name} ${JSON.stringify(args)}`,
  }));
}

/** How far back executions are chosen from: few, so that steps meet. */
const reach = 6;
export const pick = fc.nat({ max: reach - 1 });
export const which = fc.constantFrom<0 | 1>(0, 1);
export const organization = fc.constantFrom(0, 1, 2);

/** The latest, the one before, and so on; undefined while there are none. */
export function picked<One>(all: One[], back: number): One | undefined {
  return all[all.length - 1 - (back % Math.min(all.length, reach))];
}

/** The same among those that were started. */
export function pickedRun<One extends { attempt: unknown }>(all: One[], back: number): One | undefined {
  return picked(
    all.filter(({ attempt }) => attempt !== null),
    back,
  );
}

export const nothing: Answer = 'nothing to do';

/** The code of a refusal; any other error is nobody's answer. */
export async function answered(work: Promise<Answer>): Promise<Answer> {
  return await work.catch((error: unknown) => {
    if (error instanceof ApiError) return error.code;
    throw error;
  });
}
