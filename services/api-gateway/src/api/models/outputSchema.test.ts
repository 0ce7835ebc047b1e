import { expect, it } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { outputSchema } from './outputSchema.ts';

const image = { file_id: 'file_1', format: 'png', width: 512, height: 512 };
const sound = { file_id: 'file_2', format: 'mp3', duration: 1.5 };

it.each([
  ['text', { text: 'Hello' }],
  ['text', { text: 'Hel', text_file: { file_id: 'file_4', format: 'txt' } }],
  ['images', { images: [image] }],
  ['videos', { videos: [{ ...image, duration: 2 }] }],
  ['audios', { audios: [sound] }],
  ['files', { files: [{ file_id: 'file_3', format: 'pdf' }] }],
  ['raw', { anything: [1, { is: null }] }],
] as const)('the schema of the output kind %s accepts such an output, and no other', (kind, output) => {
  const validate = new Ajv2020({ formats: { file: true } }).compile(outputSchema(kind));
  expect(validate(output)).toBe(true);
  expect(validate(kind === 'raw' ? [] : { another: 1 })).toBe(false);
});
