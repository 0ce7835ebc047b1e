import { describeChoices, describeMaxLength, describeMinLength, typeNames } from '../requirement.ts';
import type { Problem } from './evaluation.ts';

export const isChoice = ({ keyword }: Problem) => keyword === 'anyOf' || keyword === 'oneOf';

/** What would be valid, as the end of a sentence about the value: `must be a string`. */
export function describeProblem(problem: Problem): string {
  const { keyword, name } = problem;
  const argument = problem.argument as never;
  return describe[keyword]?.(argument, name ?? '', problem) ?? 'is not valid';
}

type Describe = (argument: never, name: string, problem: Problem) => string;

const describe: Record<string, Describe> = {
  type: (types: string[]) => `must be ${types.map((type) => typeNames[type] ?? type).join(' or ')}`,
  enum: (choices: unknown[]) => describeChoices(choices),
  const: (only: unknown) => `must be ${JSON.stringify(only)}`,
  minimum: (limit: number) => `must be at least ${limit}`,
  maximum: (limit: number) => `must be at most ${limit}`,
  exclusiveMinimum: (limit: number) => `must be more than ${limit}`,
  exclusiveMaximum: (limit: number) => `must be less than ${limit}`,
  multipleOf: (step: number) => `must be a multiple of ${step}`,
  minLength: (limit: number) => describeMinLength(limit, 'character'),
  maxLength: (limit: number) => describeMaxLength(limit, 'character'),
  minItems: (limit: number) => describeMinLength(limit, 'item'),
  maxItems: (limit: number) => describeMaxLength(limit, 'item'),
  minProperties: (limit: number) => describeMinLength(limit, 'property'),
  maxProperties: (limit: number) => describeMaxLength(limit, 'property'),
  uniqueItems: () => 'must not have the same item twice',
  contains: (least: number) =>
    `must have at least ${least} item${least === 1 ? '' : 's'} of the required kind`,
  maxContains: (most: number) => `must have at most ${most} item${most === 1 ? '' : 's'} of this kind`,
  pattern: (source: string) => `must match pattern ${JSON.stringify(source)}`,
  format: (format: string) => formats[format] ?? `must match format "${format}"`,
  required: (_names, name) => `must have the property ${JSON.stringify(name)}`,
  dependentRequired: (_names, name) => `must have the property ${JSON.stringify(name)}`,
  additionalProperties: (_schema, name) => `must not have the property ${JSON.stringify(name)}`,
  unevaluatedProperties: (_schema, name) => `must not have the property ${JSON.stringify(name)}`,
  propertyNames: (_schema, name) => `must not have a property with the name ${JSON.stringify(name)}`,
  not: () => 'must not match the schema in "not"',
  false: () => 'must be absent',
  budget: () => 'is too large or too deep to be checked',
  anyOf: (_schemas, _name, problem) => describeBranches(problem) || 'must match a schema in anyOf',
  oneOf: (_schemas, _name, problem) => describeBranches(problem) || 'must match exactly one schema in oneOf',
};

const formats: Record<string, string> = {
  file: 'must be the id of an uploaded file (file_…), which POST /v1/files/upload returns',
};

/** What the branches of a choice want of the same value; empty when they differ only further inside. */
function describeBranches({ path, branches = [] }: Problem): string {
  const here = branches.filter((branch) => !isChoice(branch) && branch.path.length === path.length);
  return [...new Set(here.map(describeProblem))].join(' or ');
}
