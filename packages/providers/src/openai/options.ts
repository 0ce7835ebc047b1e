import { z } from 'zod';

export const endpoints = [
  'chat',
  'responses',
  'images',
  'image_edits',
  'transcriptions',
  'embeddings',
  'speech',
  'moderations',
] as const;
export type Endpoint = (typeof endpoints)[number];

export const openaiOptions = z.strictObject({
  endpoint: z.enum(endpoints).default('chat').describe('Which call of the protocol the model makes.'),
  body: z.record(z.string(), z.unknown()).default({}).describe("Fields that clients don't choose."),
});
