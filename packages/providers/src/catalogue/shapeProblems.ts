import type { z } from 'zod';
import { keysAt } from './modelSchema.ts';
import { nearest } from './nearest.ts';

/** Something that is wrong with a model, and where. */
export type ModelProblem = { path: PropertyKey[]; message: string };

type Issue = z.core.$ZodIssue;

/** What zod finds wrong, in words for whoever wrote the file. `isGiven`: whether anything stands at a path. */
export function shapeProblems(
  issues: readonly Issue[],
  isGiven: (path: PropertyKey[]) => boolean,
): ModelProblem[] {
  return issues.flatMap((issue) => problemsOf(issue, issue.path, isGiven));
}

function problemsOf(
  issue: Issue,
  path: PropertyKey[],
  isGiven: (path: PropertyKey[]) => boolean,
): ModelProblem[] {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({ path: [...path, key], message: unknownKey(key, path) }));
  }
  if (issue.code === 'invalid_union') {
    const meant = issue.errors.find((branch) => branch.every((one) => isInside(one)));
    const inner = meant?.flatMap((one) => problemsOf(one, [...path, ...one.path], isGiven)) ?? [];
    return inner.length > 0 ? inner : [{ path, message: 'is not of a kind that can stand here' }];
  }
  if (issue.code === 'custom' || isGiven(path)) return [{ path, message: issue.message }];
  return [{ path, message: `is missing: ${expected(issue)}` }];
}

/** The value is of this branch's kind, and what is wrong lies in it. */
const isInside = (issue: Issue) => issue.path.length > 0 || issue.code === 'unrecognized_keys';

function unknownKey(key: string, path: readonly PropertyKey[]): string {
  const meant = nearest(key, keysAt(path));
  return `is not known here${meant === null ? '' : `; is "${meant}" meant?`}`;
}

function expected(issue: Issue): string {
  if (issue.code === 'invalid_type') return `${article(issue.expected)} ${issue.expected}`;
  if (issue.code === 'invalid_value') return `one of ${issue.values.join(', ')}`;
  return issue.message;
}

const article = (noun: string) => (/^[aeio]/.test(noun) ? 'an' : 'a');
