import { fileReferenceFormat } from '@holdfast/domain/inputFiles';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import type { ModelProblem } from './shapeProblems.ts';

/** What is wrong with an `input_schema` as JSON Schema 2020-12, and which of its own examples it refuses. */
export function schemaProblems(schema: Record<string, unknown>): ModelProblem[] {
  const ajv = new Ajv2020({ strict: true, strictTypes: false, strictRequired: false, logger: false });
  ajv.addFormat('file', fileReferenceFormat);
  ajv.addFormat('uri', true);
  try {
    return exampleProblems(ajv.compile(schema), schema);
  } catch (error) {
    return [{ path: ['input_schema'], message: error instanceof Error ? error.message : String(error) }];
  }
}

function exampleProblems(validate: ValidateFunction, schema: Record<string, unknown>): ModelProblem[] {
  const { examples } = schema;
  if (!Array.isArray(examples)) return [];
  return examples.flatMap((example, index) => {
    if (validate(example)) return [];
    const [first] = validate.errors ?? [];
    const where = first?.instancePath ? `${first.instancePath.slice(1).replaceAll('/', '.')} ` : '';
    const message = `is no such input: ${where}${first?.message ?? 'is not valid'}`;
    return [{ path: ['input_schema', 'examples', index], message }];
  });
}
