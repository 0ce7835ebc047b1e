import type { ErrorDetail } from '@holdfast/domain/errors';
import { withDefaults } from '@holdfast/domain/inputDefaults';
import { fileReferenceFormat } from '@holdfast/domain/inputFiles';
import { limits } from '@holdfast/domain/limits';
import type { ModelDefinition } from '@holdfast/domain/modelDefinition';
import { describeChoices, describeMaxLength, describeMinLength, typeNames } from '@holdfast/kit/requirement';
import type { ErrorObject, ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { fieldPath, withoutNulls } from '../http/validate.ts';

const ajv = new Ajv2020({
  allErrors: true,
  strict: false,
  ownProperties: true,
  addUsedSchema: false,
  multipleOfPrecision: limits.multipleOfPrecision,
  logger: false,
});
ajv.addFormat('file', fileReferenceFormat);

/** Bounds the time spent on an input with very many errors. */
const maxErrors = 200;

/** The catalogue keeps the same object until the definition changes. */
const compiled = new WeakMap<ModelDefinition, ValidateFunction>();

export type ValidatedInput = {
  /** With defaults, and without parameters that are null where the schema does not allow null: they count as absent. */
  input: Record<string, unknown>;
  details: ErrorDetail[];
};

export function validateInput(definition: ModelDefinition, given: Record<string, unknown>): ValidatedInput {
  const input = withDefaults(definition.input_schema, given);
  const validate = compiled.get(definition) ?? ajv.compile(definition.input_schema);
  compiled.set(definition, validate);
  if (validate(input)) return { input, details: [] };
  const errors = validate.errors ?? [];
  const present = withoutNulls(
    input,
    errors.map(({ instancePath }) => stepsOf(instancePath)),
  );
  if (present !== null) return validateInput(definition, present);
  return { input, details: toDetails(errors.slice(0, maxErrors)) };
}

/** When nothing in a choice matches, reports the choice and not the errors of each branch. */
function toDetails(errors: ErrorObject[]): ErrorDetail[] {
  const choices = errors.filter(isChoice);
  return errors
    .filter((error) => !choices.some((choice) => isBranch(error, choice)))
    .map((error) => toDetail(error, errors));
}

const isChoice = ({ keyword }: ErrorObject) => keyword === 'anyOf' || keyword === 'oneOf';

function isBranch({ schemaPath }: ErrorObject, choice: ErrorObject): boolean {
  return schemaPath.startsWith(`${choice.schemaPath}/`);
}

function toDetail(error: ErrorObject, all: ErrorObject[]): ErrorDetail {
  const steps = stepsOf(error.instancePath);
  const named = error.params.missingProperty ?? error.params.additionalProperty;
  const field = [...steps, ...(typeof named === 'string' ? [named] : [])].reduce(fieldPath, 'input');
  const code = codes[error.keyword] ?? 'INVALID_VALUE';
  return { field, code, message: `${field} ${messages[code] ?? describeError(error, all)}.` };
}

/** Says what would be valid, where ajv's own message does not. */
function describeError(error: ErrorObject, all: ErrorObject[]): string {
  const { keyword, params, message = 'is not valid' } = error;
  switch (keyword) {
    case 'anyOf':
    case 'oneOf':
      return describeBranches(error, all) || message;
    case 'enum':
      return describeChoices(params.allowedValues);
    case 'const':
      return `must be ${JSON.stringify(params.allowedValue)}`;
    case 'type':
      return `must be ${[params.type]
        .flat()
        .map((type) => typeNames[type] ?? type)
        .join(' or ')}`;
    case 'minimum':
      return `must be at least ${params.limit}`;
    case 'maximum':
      return `must be at most ${params.limit}`;
    case 'exclusiveMinimum':
      return `must be more than ${params.limit}`;
    case 'exclusiveMaximum':
      return `must be less than ${params.limit}`;
    case 'minLength':
    case 'minItems':
      return describeMinLength(params.limit, keyword === 'minLength' ? 'character' : 'item');
    case 'maxLength':
    case 'maxItems':
      return describeMaxLength(params.limit, keyword === 'maxLength' ? 'character' : 'item');
    case 'format':
      return params.format === 'file'
        ? 'must be the id of an uploaded file (file_…), which POST /v1/files/upload returns'
        : message;
    default:
      return message;
  }
}

/** What the branches of a choice want of the same value; empty when they differ only further inside. */
function describeBranches(choice: ErrorObject, all: ErrorObject[]): string {
  const branches = all.filter(
    (error) => isBranch(error, choice) && !isChoice(error) && error.instancePath === choice.instancePath,
  );
  return [...new Set(branches.map((error) => describeError(error, all)))].join(' or ');
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

function stepsOf(pointer: string): string[] {
  return pointer.split('/').slice(1).map(unescapePointer);
}

function unescapePointer(step: string): string {
  return step.replaceAll('~1', '/').replaceAll('~0', '~');
}
