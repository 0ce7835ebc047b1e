import { nearestName } from '@holdfast/domain/nearest';
import { typeNames, withoutNeedlessSizes } from '@holdfast/kit/requirement';
import type { z } from 'zod';

export type ModelProblem = { path: PropertyKey[]; message: string };

type Issue = z.core.$ZodIssue;

type Shape = {
  isGiven(path: PropertyKey[]): boolean;
  keysAt(path: readonly PropertyKey[]): string[];
};

export function shapeProblems(issues: readonly Issue[], shape: Shape): ModelProblem[] {
  return withoutNeedlessSizes(issues).flatMap((issue) => issueProblems(issue, issue.path, shape));
}

function issueProblems(issue: Issue, path: PropertyKey[], shape: Shape): ModelProblem[] {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({ path: [...path, key], message: unknownKey(key, shape.keysAt(path)) }));
  }
  if (issue.code === 'invalid_union') {
    const meant = issue.errors.find((branch) => branch.every((one) => isInside(one)));
    const inner = meant?.flatMap((one) => issueProblems(one, [...path, ...one.path], shape)) ?? [];
    return inner.length > 0 ? inner : [{ path, message: unionMessage(issue) }];
  }
  if (issue.code === 'custom' || shape.isGiven(path)) return [{ path, message: issue.message }];
  return [{ path, message: `is missing: ${expected(issue)}` }];
}

const unionMessage = ({ message }: Issue) =>
  message === 'Invalid input' ? 'is not of a kind that can stand here' : message;

const isInside = (issue: Issue) => issue.path.length > 0 || issue.code === 'unrecognized_keys';

export function unknownKey(key: string, known: readonly string[]): string {
  const meant = nearestName(key, known);
  return `is not known here${meant === null ? '' : `; is "${meant}" meant?`}`;
}

function expected(issue: Issue): string {
  if (issue.code === 'invalid_type') return typeNames[issue.expected] ?? issue.expected;
  if (issue.code === 'invalid_value')
    return `one of ${issue.values.map((value) => JSON.stringify(value)).join(', ')}`;
  return issue.message;
}
