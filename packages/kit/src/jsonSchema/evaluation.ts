/** What a value breaks. `argument` is the value of the keyword in the schema. */
export type Problem = {
  keyword: string;
  path: string[];
  argument: unknown;
  /** The missing or unknown property. */
  name?: string;
  /** The problems of the branches, for a choice in which nothing matched. */
  branches?: Problem[];
};

/** The steps from the root to a value, last one first: most values have no problem and need no path. */
export type Place = { parent: Place; step: string | number } | null;

/** Names and indexes that a keyword has judged, for `unevaluatedProperties` and `unevaluatedItems`. */
export type Judged = Set<string | number> | null;

/** One evaluation; branches of a choice have their own, with the same budget. */
export type Evaluation = {
  budget: Budget;
  problems: Problem[];
  /** Problems with nulls do not count: the gateway removes the nulls and evaluates again. */
  counted: number;
  maxProblems: number;
  depth: number;
};

export type Check = (value: unknown, at: Place, evaluation: Evaluation, judged: Judged) => void;

/** `limits` are the checks that a large value fails first; the others are then skipped. */
export type Node = { limits: Check[]; checks: Check[]; tracks: boolean };

/** What an evaluation and its branches may still spend; a step is some ten nanoseconds. `keys`: listed once per object. */
export type Budget = { steps: number; keys: WeakMap<object, string[]> };

export const newBudget = (): Budget => ({ steps: maxSteps, keys: new WeakMap() });

/** Some 50 ms. The largest body, a list of half a million numbers, needs two thirds. */
const maxSteps = 5_000_000;

const stepsPerNode = 6;
const stepsPerBranch = 5;
const stepsPerProblem = 40;
const stepsPerKey = 5;
const stepsPerMark = 12;
const maxDepth = 512;

/** The value is valid or not; finding out costs too much. */
export class BudgetExceeded extends Error {}

export function spend(evaluation: Evaluation, steps: number): void {
  evaluation.budget.steps -= steps;
  if (evaluation.budget.steps < 0) throw new BudgetExceeded();
}

const manyKeys = 64;

/** Listing the keys of a large object takes milliseconds, which several keywords share. */
export function keysOf(object: object, evaluation: Evaluation): string[] {
  const known = evaluation.budget.keys.get(object);
  if (known) return known;
  const keys = Object.keys(object);
  spend(evaluation, keys.length * stepsPerKey);
  if (keys.length > manyKeys) evaluation.budget.keys.set(object, keys);
  return keys;
}

export function newEvaluation(budget: Budget, maxProblems: number, depth = 0): Evaluation {
  return { budget, problems: [], counted: 0, maxProblems, depth };
}

export const isValid = ({ problems }: Evaluation) => problems.length === 0;

export function evaluate(
  node: Node,
  value: unknown,
  at: Place,
  evaluation: Evaluation,
  judged: Judged = null,
): void {
  spend(evaluation, stepsPerNode);
  if (evaluation.counted >= evaluation.maxProblems) return;
  if (evaluation.depth > maxDepth) throw new BudgetExceeded();
  evaluation.depth += 1;
  const found = evaluation.problems.length;
  const own = node.tracks ? new Set<string | number>() : judged;
  for (const check of node.limits) check(value, at, evaluation, own);
  if (evaluation.problems.length === found) {
    for (const check of node.checks) check(value, at, evaluation, own);
  }
  if (own !== judged) markAll(judged, own, evaluation);
  evaluation.depth -= 1;
}

/** Evaluates a branch on its own: its problems are the branch's. */
export function evaluateBranch(
  node: Node,
  value: unknown,
  at: Place,
  { budget, depth }: Evaluation,
  judged: Judged,
  maxProblems = 1,
): Evaluation {
  const branch = newEvaluation(budget, maxProblems, depth);
  spend(branch, stepsPerBranch);
  const own: Judged = judged === null ? null : new Set();
  evaluate(node, value, at, branch, own);
  if (isValid(branch)) markAll(judged, own, branch);
  return branch;
}

export function report(
  evaluation: Evaluation,
  value: unknown,
  at: Place,
  problem: Omit<Problem, 'path'>,
): void {
  if (value !== null) evaluation.counted += 1;
  const path = pathOf(at);
  spend(evaluation, stepsPerProblem + path.length);
  evaluation.problems.push({ ...problem, path });
}

function markAll(judged: Judged, steps: Judged, evaluation: Evaluation): void {
  for (const step of steps ?? []) mark(judged, step, evaluation);
}

/** Marks what a keyword has judged. */
export function mark(judged: Judged, step: string | number, evaluation: Evaluation): void {
  if (judged === null) return;
  spend(evaluation, stepsPerMark);
  judged.add(step);
}

function pathOf(at: Place): string[] {
  const path: string[] = [];
  for (let place = at; place !== null; place = place.parent) path.push(String(place.step));
  return path.toReversed();
}
