import type { z } from 'zod';
import { nearest } from './nearest.ts';

/** Something that is wrong with a model, and where. */
export type ModelProblem = { path: PropertyKey[]; message: string };

type Issue = z.core.$ZodIssue;

type Shape = {
  /** Whether anything stands at a path. */
  isGiven(path: PropertyKey[]): boolean;
  /** The keys that may stand there. */
  keysAt(path: readonly PropertyKey[]): string[];
};

/** What zod finds wrong, in words for whoever wrote the file. */
export function shapeProblems(issues: readonly Issue[], shape: Shape): ModelProblem[] {
  return issues.flatMap((issue) => problemsOf(issue, issue.path, shape));
}

function problemsOf(issue: Issue, path: PropertyKey[], shape: Shape): ModelProblem[] {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({ path: [...path, key], message: unknownKey(key, shape.keysAt(path)) }));
  }
  if (issue.code === 'invalid_union') {
    const meant = issue.errors.find((branch) => branch.every((one) => isInside(one)));
    const inner = meant?.flatMap((one) => problemsOf(one, [...path, ...one.path], shape)) ?? [];
    return inner.length > 0 ? inner : [{ path, message: 'is not of a kind that can stand here' }];
  }
  if (issue.code === 'custom' || shape.isGiven(path)) return [{ path, message: issue.message }];
  return [{ path, message: `is missing: ${expected(issue)}` }];
}

/** The value is of this branch's kind, and what is wrong lies in it. */
const isInside = (issue: Issue) => issue.path.length > 0 || issue.code === 'unrecognized_keys';

function unknownKey(key: string, known: readonly string[]): string {
  const meant = nearest(key, known);
  return `is not known here${meant === null ? '' : `; is "${meant}" meant?`}`;
}

function expected(issue: Issue): string {
  if (issue.code === 'invalid_type') return `${article(issue.expected)} ${issue.expected}`;
  if (issue.code === 'invalid_value') return `one of ${issue.values.join(', ')}`;
  return issue.message;
}

const article = (noun: string) => (/^[aeio]/.test(noun) ? 'an' : 'a');
