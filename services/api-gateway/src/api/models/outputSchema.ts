import type { OutputKind } from '@holdfast/domain/modelResponse';

type JsonSchema = Record<string, unknown>;

const pixels = { type: 'integer', description: 'Pixels, if known' };
const fields: Record<string, JsonSchema> = {
  file_id: { type: 'string', format: 'file' },
  format: { type: 'string' },
};
const sizes = { width: pixels, height: pixels };
const duration = { duration: { type: 'number', description: 'Seconds, if known' } };

const fileFields: Record<Exclude<OutputKind, 'text' | 'raw'>, Record<string, JsonSchema>> = {
  images: { ...fields, ...sizes },
  videos: { ...fields, ...sizes, ...duration },
  audios: { ...fields, ...duration },
  files: { ...fields, ...sizes, ...duration },
};

const text: JsonSchema = {
  type: 'object',
  required: ['text'],
  properties: {
    text: { type: 'string', description: 'The whole text, or its beginning if there is `text_file`' },
    text_file: {
      type: 'object',
      required: ['file_id', 'format'],
      properties: fields,
      description: 'The whole text, if it has more than 4 MiB',
    },
  },
};

export function outputSchema(kind: OutputKind): JsonSchema {
  if (kind === 'raw') return { type: 'object' };
  if (kind === 'text') return text;
  const items = { type: 'object', required: ['file_id', 'format'], properties: fileFields[kind] };
  return { type: 'object', required: [kind], properties: { [kind]: { type: 'array', items } } };
}
