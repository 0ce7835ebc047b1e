import { fileReferenceFormat } from '@holdfast/domain/inputFiles';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import type { ModelProblem } from './shapeProblems.ts';

/** Everything that is wrong with an `input_schema` as JSON Schema 2020-12, and with its own examples as inputs. */
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

/** What is wrong with an input by the schema of its model, which is right; null: nothing. */
export function inputProblem(schema: Record<string, unknown>, input: unknown): string | null {
  return problemsOf(compile(schema), input)[0] ?? null;
}

/** `report` is given each mistake of the schema; without it the first is thrown. */
function compile(schema: Record<string, unknown>, report?: (message: string) => void): ValidateFunction {
  const say = (message: unknown) => report?.(String(message));
  const isValid = metaSchema().validateSchema(schema, report === undefined);
  if (isValid !== true) say(`schema is invalid: ${metaSchema().errorsText()}`);
  // An instance for each schema: the `$id`s of different models may be the same.
  const ajv = new Ajv2020({
    allErrors: true,
    strict: report ? 'log' : true,
    strictTypes: false,
    strictRequired: false,
    validateSchema: false,
    logger: { log: say, warn: say, error: say },
  });
  ajv.addFormat('file', fileReferenceFormat);
  ajv.addFormat('uri', true);
  return ajv.compile(schema);
}

let shared: Ajv2020 | undefined;

/** Compiled once: compiling the meta-schema takes ten times as long as compiling the schema of a model. */
const metaSchema = () => (shared ??= new Ajv2020({ allErrors: true, strict: false }));

function problemsOf(validate: ValidateFunction, input: unknown): string[] {
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
    problemsOf(validate, example).map((problem) => ({
      path: ['input_schema', 'examples', index],
      message: `is no such input: ${problem}`,
    })),
  );
}
