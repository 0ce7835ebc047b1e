import { fileReferenceFormat } from '@holdfast/domain/inputFiles';
import { limits } from '@holdfast/domain/limits';
import { typeNames } from '@holdfast/kit/requirement';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import type { z } from 'zod';

export type ModelProblem = { path: PropertyKey[]; message: string };

type Issue = z.core.$ZodIssue;

type Shape = {
  isGiven(path: PropertyKey[]): boolean;
  keysAt(path: readonly PropertyKey[]): string[];
};

export function shapeProblems(issues: readonly Issue[], shape: Shape): ModelProblem[] {
  return issues.flatMap((issue) => issueProblems(issue, issue.path, shape));
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

function unknownKey(key: string, known: readonly string[]): string {
  const meant = nearest(key, known);
  return `is not known here${meant === null ? '' : `; is "${meant}" meant?`}`;
}

function expected(issue: Issue): string {
  if (issue.code === 'invalid_type') return typeNames[issue.expected] ?? issue.expected;
  if (issue.code === 'invalid_value')
    return `one of ${issue.values.map((value) => JSON.stringify(value)).join(', ')}`;
  return issue.message;
}

export function schemaProblems(schema: Record<string, unknown>): ModelProblem[] {
  const found: string[] = [];
  try {
    const validate = compile(schema, (message) => found.push(message));
    if (found.length === 0) return exampleProblems(validate, schema);
  } catch (error) {
    if (found.length === 0) found.push(error instanceof Error ? error.message : String(error));
  }
  return [...new Set(found)].map((message) => ({ path: ['input_schema'], message }));
}

export function inputProblem(schema: Record<string, unknown>, input: unknown): string | null {
  return validationErrors(compile(schema), input)[0] ?? null;
}

/** `report` receives every mistake of the schema; without it the first is thrown. */
function compile(schema: Record<string, unknown>, report?: (message: string) => void): ValidateFunction {
  const say = (message: unknown) => report?.(String(message));
  const isValid = metaSchema().validateSchema(schema, report === undefined);
  if (isValid !== true) say(`schema is invalid: ${metaSchema().errorsText()}`);
  // One instance per schema: `$id`s of different models may collide.
  const ajv = new Ajv2020({
    allErrors: true,
    multipleOfPrecision: limits.multipleOfPrecision,
    strict: report ? 'log' : true,
    strictTypes: false,
    strictRequired: false,
    validateSchema: false,
    logger: { log: say, warn: say, error: say },
  });
  ajv.addFormat('file', fileReferenceFormat);
  ajv.addFormat('uri', true);
  ajv.addKeyword({ keyword: 'x-order', schemaType: 'number' });
  return ajv.compile(schema);
}

let shared: Ajv2020 | undefined;

/** Compiling the meta-schema takes ten times as long as compiling a model's schema. */
const metaSchema = () => (shared ??= new Ajv2020({ allErrors: true, strict: false }));

function validationErrors(validate: ValidateFunction, input: unknown): string[] {
  if (validate(input)) return [];
  return (validate.errors ?? []).map(({ instancePath, message, params }) => {
    const where = instancePath ? `${instancePath.slice(1).replaceAll('/', '.')} ` : '';
    const named: unknown = params['additionalProperty'];
    return `${where}${message ?? 'is not valid'}${typeof named === 'string' ? `: ${named}` : ''}`;
  });
}

function exampleProblems(validate: ValidateFunction, schema: Record<string, unknown>): ModelProblem[] {
  const { examples } = schema;
  if (!Array.isArray(examples)) return [];
  return examples.flatMap((example, index) =>
    validationErrors(validate, example).map((problem) => ({
      path: ['input_schema', 'examples', index],
      message: `is not a valid input: ${problem}`,
    })),
  );
}

export function nearest(word: string, known: readonly string[]): string | null {
  const maxDistance = Math.min(3, Math.floor(word.length / 3) + 1);
  const [best] = known
    .map((one) => ({ one, distance: distance(word.toLowerCase(), one.toLowerCase()) }))
    .filter((candidate) => candidate.distance <= maxDistance)
    .toSorted((a, b) => a.distance - b.distance);
  return best?.one ?? null;
}

function distance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (const [index, letter] of from.split('').entries()) {
    const next = [index + 1];
    for (const [at, other] of to.split('').entries()) {
      const replaced = (row[at] ?? 0) + (letter === other ? 0 : 1);
      next.push(Math.min(replaced, (row[at + 1] ?? 0) + 1, (next[at] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
