import { fileReferenceFormat } from '@holdfast/domain/inputFiles';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import type { ModelProblem } from './shapeProblems.ts';

/** What is wrong with an `input_schema` as JSON Schema 2020-12, and which of its own examples it refuses. */
export function schemaProblems(schema: Record<string, unknown>): ModelProblem[] {
  try {
    return exampleProblems(compile(schema), schema);
  } catch (error) {
    return [{ path: ['input_schema'], message: error instanceof Error ? error.message : String(error) }];
  }
}

/** What is wrong with an input by the schema of its model, which is right; null: nothing. */
export function inputProblem(schema: Record<string, unknown>, input: unknown): string | null {
  return problemOf(compile(schema), input);
}

function compile(schema: Record<string, unknown>): ValidateFunction {
  const ajv = new Ajv2020({ strict: true, strictTypes: false, strictRequired: false, logger: false });
  ajv.addFormat('file', fileReferenceFormat);
  ajv.addFormat('uri', true);
  return ajv.compile(schema);
}

function problemOf(validate: ValidateFunction, input: unknown): string | null {
  if (validate(input)) return null;
  const [first] = validate.errors ?? [];
  const where = first?.instancePath ? `${first.instancePath.slice(1).replaceAll('/', '.')} ` : '';
  const named: unknown = first?.params['additionalProperty'];
  return `${where}${first?.message ?? 'is not valid'}${typeof named === 'string' ? `: ${named}` : ''}`;
}

function exampleProblems(validate: ValidateFunction, schema: Record<string, unknown>): ModelProblem[] {
  const { examples } = schema;
  if (!Array.isArray(examples)) return [];
  return examples.flatMap((example, index) => {
    const problem = problemOf(validate, example);
    if (problem === null) return [];
    const message = `is no such input: ${problem}`;
    return [{ path: ['input_schema', 'examples', index], message }];
  });
}
