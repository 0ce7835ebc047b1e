import type { ErrorDetail } from '@holdfast/domain/errors';
import { withDefaults } from '@holdfast/domain/inputDefaults';
import { definitionOf, isObject } from '@holdfast/domain/inputFiles';
import type { ModelDefinition } from '@holdfast/domain/modelDefinition';
import { nearestName } from '@holdfast/domain/nearest';
import { compileSchema, type Validator } from '@holdfast/kit/jsonSchema/compile';
import { newBudget, type Problem } from '@holdfast/kit/jsonSchema/evaluation';
import { inputFormats } from '@holdfast/kit/jsonSchema/inputFormats';
import { describeProblem } from '@holdfast/kit/jsonSchema/problem';
import { fieldPath, withoutNulls } from '../http/validate.ts';

/** The catalogue keeps the same object until the definition changes. */
const compiled = new WeakMap<ModelDefinition, Validator>();

export type ValidatedInput = {
  /** With defaults, and without parameters that are null where the schema does not allow null: they count as absent. */
  input: Record<string, unknown>;
  details: ErrorDetail[];
};

/** In bounded time, whatever the input is: other requests wait meanwhile. */
export function validateInput(
  definition: ModelDefinition,
  given: Record<string, unknown>,
  budget = newBudget(),
): ValidatedInput {
  const input = withDefaults(definition.input_schema, given);
  const validate = compiled.get(definition) ?? compileSchema(definition.input_schema, inputFormats);
  compiled.set(definition, validate);
  const { problems, isWithinBudget } = validate(input, budget);
  if (!isWithinBudget) return { input, details: [tooComplex] };
  const present = problems.length > 0 ? withoutNulls(input, problems.flatMap(pathsOf)) : null;
  if (present !== null) return validateInput(definition, present, budget);
  return { input, details: problems.map((problem) => toDetail(problem, definition.input_schema)) };
}

const tooComplex: ErrorDetail = {
  field: 'input',
  code: 'OUT_OF_RANGE',
  message: 'input is too large to be checked: send fewer or shorter values.',
};

const pathsOf = ({ path, branches = [] }: Problem): string[][] => [path, ...branches.flatMap(pathsOf)];

function toDetail(problem: Problem, schema: ModelDefinition['input_schema']): ErrorDetail {
  const { keyword, path, name } = problem;
  const code = codes[keyword] ?? 'INVALID_VALUE';
  const isNamed = name !== undefined && messages[code] !== undefined;
  const field = [...path, ...(isNamed ? [name] : [])].reduce(fieldPath, 'input');
  const meant = code === 'UNKNOWN_FIELD' ? nearestName(name ?? '', namesAt(schema, path)) : null;
  const hint = meant === null ? '' : ` Did you mean ${[...path, meant].reduce(fieldPath, 'input')}?`;
  return { field, code, message: `${field} ${messages[code] ?? describeProblem(problem)}.${hint}` };
}

/** The properties that the schema names of the object at a path. */
function namesAt(root: Record<string, unknown>, path: readonly string[]): string[] {
  const at = path.reduce<unknown>((schema, step) => {
    const { properties, items } = resolved(root, schema);
    return isObject(properties) && Object.hasOwn(properties, step) ? properties[step] : items;
  }, root);
  const { properties } = resolved(root, at);
  return isObject(properties) ? Object.keys(properties) : [];
}

function resolved(root: Record<string, unknown>, schema: unknown): Record<string, unknown> {
  if (!isObject(schema)) return {};
  const referred = typeof schema['$ref'] === 'string' ? definitionOf(root, schema['$ref']) : undefined;
  return isObject(referred) ? { ...referred, ...schema } : schema;
}

const messages: Record<string, string> = {
  REQUIRED: 'is required',
  UNKNOWN_FIELD: 'is not a parameter of this model',
};

const codes: Record<string, string> = {
  required: 'REQUIRED',
  dependentRequired: 'REQUIRED',
  additionalProperties: 'UNKNOWN_FIELD',
  unevaluatedProperties: 'UNKNOWN_FIELD',
  type: 'INVALID_TYPE',
  minimum: 'OUT_OF_RANGE',
  maximum: 'OUT_OF_RANGE',
  exclusiveMinimum: 'OUT_OF_RANGE',
  exclusiveMaximum: 'OUT_OF_RANGE',
  multipleOf: 'OUT_OF_RANGE',
  minLength: 'OUT_OF_RANGE',
  maxLength: 'OUT_OF_RANGE',
  minItems: 'OUT_OF_RANGE',
  maxItems: 'OUT_OF_RANGE',
  minProperties: 'OUT_OF_RANGE',
  maxProperties: 'OUT_OF_RANGE',
  pattern: 'INVALID_FORMAT',
  format: 'INVALID_FORMAT',
};
