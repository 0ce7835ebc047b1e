import { withDefaults } from '@holdfast/domain/inputDefaults';
import { definitionOf, fileReferenceFormat } from '@holdfast/domain/inputFiles';
import { limits } from '@holdfast/domain/limits';
import { reasonOf } from '@holdfast/kit/within';
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import { formatProblems, formatsOf } from './formats.ts';
import { type ModelProblem, unknownKey } from './problems.ts';
import { type SchemaPart, schemaParts } from './schemaParts.ts';

type Schema = Record<string, unknown>;

/** Annotations of OpenAPI, without a meaning for the validation. */
const annotations = ['example', 'externalDocs', 'xml', 'x-order'];

/** Every mistake of a schema, of its examples and of its defaults. */
export function schemaProblems(schema: Schema): ModelProblem[] {
  const parts = schemaParts(schema);
  const found = [
    ...shapeProblems(schema),
    ...formatProblems(schema),
    ...parts.flatMap(keywordProblems),
    ...parts.flatMap((part) => referenceProblems(schema, part)),
  ];
  const logged: string[] = [];
  try {
    const validate = compile(schema, (message) => logged.push(message));
    if (found.length > 0) return found;
    const rules = [...new Set(logged)].map((message) => ({ path: ['input_schema'], message }));
    return [...rules, ...exampleProblems(validate, schema), ...defaultProblems(validate, schema)];
  } catch (error) {
    return found.length > 0 ? found : [{ path: ['input_schema'], message: reasonOf(error) }];
  }
}

export function inputProblem(schema: Schema, input: unknown): string | null {
  return validationErrors(compile(schema), input)[0] ?? null;
}

/** `report` receives what is no mistake in JSON Schema and yet most likely one. @throws for an invalid schema */
function compile(schema: Schema, report?: (message: string) => void): ValidateFunction {
  const say = (message: unknown) => report?.(String(message));
  // One instance per schema: `$id`s of different models may collide.
  const ajv = new Ajv2020({
    allErrors: true,
    multipleOfPrecision: limits.multipleOfPrecision,
    strict: report ? 'log' : false,
    strictTypes: false,
    strictRequired: false,
    validateSchema: false,
    logger: { log: say, warn: say, error: say },
  });
  for (const { name } of formatsOf(schema)) ajv.addFormat(name, true);
  ajv.addFormat('file', fileReferenceFormat);
  ajv.addVocabulary([...annotations, ...extensionsIn(schema)]);
  return ajv.compile(schema);
}

function extensionsIn(schema: Schema): string[] {
  const names = schemaParts(schema).flatMap(({ schema: part }) => Object.keys(part));
  return [...new Set(names)].filter((name) => isExtension(name) && !annotations.includes(name));
}

const isExtension = (name: string) => name.startsWith('x-');

let shared: Ajv2020 | undefined;

/** Compiling the meta-schema takes ten times as long as compiling a model's schema. */
const metaSchema = () => (shared ??= new Ajv2020({ allErrors: true, strict: false }));

/** What JSON Schema itself does not allow, one problem for each place. */
function shapeProblems(schema: Schema): ModelProblem[] {
  if (metaSchema().validateSchema(schema) === true) return [];
  const errors = (metaSchema().errors ?? []).filter(({ keyword }) => keyword !== 'anyOf');
  const byPlace = Map.groupBy(errors, ({ instancePath }) => instancePath);
  return [...byPlace].map(([place, some]) => ({
    path: ['input_schema', ...place.split('/').slice(1).map(unescaped)],
    message: [...new Set(some.map(describe))].join(', or '),
  }));
}

function describe({ keyword, params, message = 'is not valid' }: ErrorObject): string {
  if (keyword !== 'enum') return message;
  const values: unknown[] = params['allowedValues'] ?? [];
  return `must be one of ${values.map((value) => JSON.stringify(value)).join(', ')}`;
}

function unescaped(step: string): string {
  return step.replaceAll('~1', '/').replaceAll('~0', '~');
}

function keywordProblems({ schema, path }: SchemaPart): ModelProblem[] {
  const known = Object.keys(metaSchema().RULES.keywords);
  return Object.keys(schema)
    .filter((name) => !known.includes(name) && !annotations.includes(name) && !isExtension(name))
    .map((name) => ({ path: ['input_schema', ...path, name], message: unknownKey(name, known) }));
}

/** Of references into the schema; Ajv finds the others. */
function referenceProblems(root: Schema, { schema: { $ref }, path }: SchemaPart): ModelProblem[] {
  const isMissing =
    typeof $ref === 'string' && $ref.startsWith('#/') && definitionOf(root, $ref) === undefined;
  return isMissing ? [{ path: ['input_schema', ...path, '$ref'], message: `there is no ${$ref}` }] : [];
}

function validationErrors(validate: ValidateFunction, input: unknown): string[] {
  return validate(input) ? [] : (validate.errors ?? []).map(errorText);
}

function errorText({ instancePath, message = 'is not valid', params }: ErrorObject): string {
  const where = instancePath ? `${instancePath.slice(1).replaceAll('/', '.')} ` : '';
  const named: unknown = params['additionalProperty'];
  return `${where}${message}${typeof named === 'string' ? `: ${named}` : ''}`;
}

function exampleProblems(validate: ValidateFunction, schema: Schema): ModelProblem[] {
  const { examples } = schema;
  if (!Array.isArray(examples)) return [];
  return examples.flatMap((example, index) =>
    validationErrors(validate, example).map((problem) => ({
      path: ['input_schema', 'examples', index],
      message: `is not a valid input: ${problem}`,
    })),
  );
}

/** An input that clients leave out must not be refused. */
function defaultProblems(validate: ValidateFunction, schema: Schema): ModelProblem[] {
  if (validate(withDefaults(schema, {}))) return [];
  return (validate.errors ?? [])
    .filter(({ instancePath }) => instancePath !== '')
    .map((error) => ({
      path: ['input_schema', 'properties', unescaped(error.instancePath.split('/')[1] ?? ''), 'default'],
      message: `is not a valid input: ${errorText(error)}`,
    }));
}
