import type { ErrorDetail } from '@holdfast/domain/errors';
import { fileReferenceFormat } from '@holdfast/domain/inputFiles';
import type { ModelDefinition } from '@holdfast/domain/modelDefinition';
import type { ErrorObject, ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { fieldPath, withoutNulls } from '../http/validate.ts';

const ajv = new Ajv2020({
  allErrors: true,
  strict: false,
  ownProperties: true,
  addUsedSchema: false,
  logger: false,
});
ajv.addFormat('file', fileReferenceFormat);

/** Bounds the time spent on an input with very many errors. */
const maxErrors = 200;

/** The catalogue keeps the same object until the definition changes. */
const compiled = new WeakMap<ModelDefinition, ValidateFunction>();

export type ValidatedInput = {
  /** Without parameters that are null where the schema does not allow null: they count as absent. */
  input: Record<string, unknown>;
  details: ErrorDetail[];
};

export function validateInput(definition: ModelDefinition, input: Record<string, unknown>): ValidatedInput {
  const validate = compiled.get(definition) ?? ajv.compile(definition.input_schema);
  compiled.set(definition, validate);
  if (validate(input)) return { input, details: [] };
  const errors = validate.errors ?? [];
  const present = withoutNulls(
    input,
    errors.map(({ instancePath }) => stepsOf(instancePath)),
  );
  if (present !== null) return validateInput(definition, present);
  return { input, details: withoutBranches(errors.slice(0, maxErrors)).map(toDetail) };
}

/** When nothing in a choice matches, reports the choice and not the errors of each branch. */
function withoutBranches(errors: ErrorObject[]): ErrorObject[] {
  const choices = errors.filter(({ keyword }) => keyword === 'anyOf' || keyword === 'oneOf');
  return errors.filter(
    ({ schemaPath }) => !choices.some((choice) => schemaPath.startsWith(`${choice.schemaPath}/`)),
  );
}

function toDetail(error: ErrorObject): ErrorDetail {
  const steps = stepsOf(error.instancePath);
  const named = error.params.missingProperty ?? error.params.additionalProperty;
  const field = [...steps, ...(typeof named === 'string' ? [named] : [])].reduce(fieldPath, 'input');
  const code = codes[error.keyword] ?? 'INVALID_VALUE';
  return {
    field,
    code,
    message: `${field} ${describeError(error) ?? messages[code] ?? error.message ?? 'is not valid'}.`,
  };
}

/** Says what would be valid, where ajv's own message does not. */
function describeError({ keyword, params }: ErrorObject): string | null {
  if (keyword === 'enum' && Array.isArray(params.allowedValues)) {
    return `must be one of ${params.allowedValues.map((value) => JSON.stringify(value)).join(', ')}`;
  }
  if (keyword === 'const') return `must be ${JSON.stringify(params.allowedValue)}`;
  if (keyword === 'format' && params.format === 'file') {
    return 'must be the id of an uploaded file (file_…), which POST /v1/files/upload returns';
  }
  return null;
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
