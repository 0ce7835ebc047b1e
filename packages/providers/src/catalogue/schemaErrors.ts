import { fileReferenceFormat } from '@holdfast/domain/inputFiles';
import { Ajv2020 } from 'ajv/dist/2020.js';

/** What is wrong with an `input_schema` as JSON Schema 2020-12; null when it compiles. */
export function schemaError(schema: Record<string, unknown>): string | null {
  const ajv = new Ajv2020({ strict: true, strictTypes: false, strictRequired: false });
  ajv.addFormat('file', fileReferenceFormat);
  ajv.addFormat('uri', true);
  try {
    ajv.compile(schema);
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
