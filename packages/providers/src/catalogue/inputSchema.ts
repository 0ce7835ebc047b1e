import { withDefaults } from '@holdfast/domain/inputDefaults';
import { definitionOf, isObject } from '@holdfast/domain/inputFiles';
import { compilePattern } from '@holdfast/domain/pattern';
import { compileSchema, type Validator } from '@holdfast/kit/jsonSchema/compile';
import type { Problem } from '@holdfast/kit/jsonSchema/evaluation';
import { inputFormats } from '@holdfast/kit/jsonSchema/inputFormats';
import { describeProblem } from '@holdfast/kit/jsonSchema/problem';
import { reasonOf } from '@holdfast/kit/within';
import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
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
    ...shapeProblems(rounded(schema)),
    ...formatProblems(schema),
    ...parts.flatMap(keywordProblems),
    ...parts.flatMap((part) => referenceProblems(schema, part)),
    ...loopProblems(schema, parts),
    ...parts.flatMap(patternProblems),
  ];
  const logged: string[] = [];
  try {
    lint(rounded(schema), (message) => logged.push(message));
    if (found.length > 0) return found;
    const validate = compileSchema(schema, inputFormats);
    const rules = [...new Set(logged)].map((message) => ({ path: ['input_schema'], message }));
    return [...rules, ...exampleProblems(validate, schema), ...defaultProblems(validate, schema)];
  } catch (error) {
    return found.length > 0 ? found : [{ path: ['input_schema'], message: reasonOf(error) }];
  }
}

export function inputProblem(schema: Schema, input: unknown): string | null {
  const [problem] = problemsIn(compileSchema(schema, inputFormats), input);
  return problem === undefined ? null : problemText(problem);
}

/** Without bigints, which Ajv does not know: it judges the schema, not what its numbers allow. */
function rounded(schema: Schema): Schema {
  return JSON.parse(JSON.stringify(schema)) as Schema;
}

/** `report` receives what is no mistake in JSON Schema and yet most likely one. @throws for an invalid schema */
function lint(schema: Schema, report: (message: string) => void): void {
  const say = (message: unknown) => report(String(message));
  // One instance per schema: `$id`s of different models may collide.
  const ajv = new Ajv2020({
    allErrors: true,
    strict: 'log',
    strictTypes: false,
    strictRequired: false,
    validateSchema: false,
    logger: { log: say, warn: say, error: say },
  });
  for (const { name } of formatsOf(schema)) ajv.addFormat(name, true);
  ajv.addFormat('file', true);
  ajv.addVocabulary([...annotations, ...extensionsIn(schema)]);
  ajv.compile(schema);
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

/** Finds references into the schema that lead nowhere; Ajv finds the others. */
function referenceProblems(root: Schema, { schema: { $ref }, path }: SchemaPart): ModelProblem[] {
  const isMissing =
    typeof $ref === 'string' && $ref.startsWith('#/') && definitionOf(root, $ref) === undefined;
  return isMissing ? [{ path: ['input_schema', ...path, '$ref'], message: `there is no ${$ref}` }] : [];
}

/** References that lead back to themselves before any part of the value is looked at: no value could be judged. */
function loopProblems(root: Schema, parts: readonly SchemaPart[]): ModelProblem[] {
  return parts.flatMap(({ schema, path }) => {
    if (typeof schema['$ref'] !== 'string') return [];
    const found = new Set<Schema>();
    const unvisited = appliedBy(root, schema);
    for (let next = unvisited.pop(); next !== undefined; next = unvisited.pop()) {
      if (found.has(next)) continue;
      found.add(next);
      unvisited.push(...appliedBy(root, next));
    }
    if (!found.has(schema)) return [];
    const message = `refers to itself (${schema['$ref']}) before it looks at any part of the input, which never ends`;
    return [{ path: ['input_schema', ...path, '$ref'], message }];
  });
}

/** The schemas that a schema applies to the same value. */
function appliedBy(root: Schema, schema: Schema): Schema[] {
  const { $ref, allOf, anyOf, oneOf, not, if: condition, then, else: otherwise, dependentSchemas } = schema;
  const referred = $ref === '#' ? root : typeof $ref === 'string' ? definitionOf(root, $ref) : undefined;
  const lists = [allOf, anyOf, oneOf].flatMap((list) => (Array.isArray(list) ? list : []));
  const dependent = Object.values(Object(dependentSchemas));
  return [referred, ...lists, not, condition, then, otherwise, ...dependent].filter(isObject);
}

/** Patterns run in linear time, which rules some out. */
function patternProblems({ schema: { pattern, patternProperties }, path }: SchemaPart): ModelProblem[] {
  const names = Object.keys(Object(patternProperties)).map((source) => ({
    source,
    at: ['patternProperties', source],
  }));
  const texts = typeof pattern === 'string' ? [{ source: pattern, at: ['pattern'] }] : [];
  return [...texts, ...names].flatMap(({ source, at }) => {
    try {
      compilePattern(source);
      return [];
    } catch (error) {
      return [{ path: ['input_schema', ...path, ...at], message: reasonOf(error) }];
    }
  });
}

const tooComplex: Problem = { keyword: 'budget', path: [], argument: undefined };

function problemsIn(validate: Validator, input: unknown): Problem[] {
  const { problems, isWithinBudget } = validate(input);
  return isWithinBudget ? problems : [tooComplex];
}

const problemText = (problem: Problem) => `${problem.path.join('.')} ${describeProblem(problem)}`.trim();

function exampleProblems(validate: Validator, schema: Schema): ModelProblem[] {
  const { examples } = schema;
  if (!Array.isArray(examples)) return [];
  return examples.flatMap((example, index) =>
    problemsIn(validate, example).map((problem) => ({
      path: ['input_schema', 'examples', index],
      message: `is not a valid input: ${problemText(problem)}`,
    })),
  );
}

/** An input that clients leave out must not be refused. */
function defaultProblems(validate: Validator, schema: Schema): ModelProblem[] {
  return problemsIn(validate, withDefaults(schema, {}))
    .filter(({ path }) => path.length > 0)
    .map((problem) => ({
      path: ['input_schema', 'properties', problem.path[0] ?? '', 'default'],
      message: `is not a valid input: ${problemText(problem)}`,
    }));
}
