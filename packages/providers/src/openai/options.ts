import { z } from 'zod';

/** Which of its calls a model makes. */
export const endpoints = [
  'chat',
  'responses',
  'images',
  'image_edits',
  'transcriptions',
  'embeddings',
  'speech',
] as const;
export type Endpoint = (typeof endpoints)[number];

/** `provider.options` of a model at a server that speaks OpenAI's protocol. */
export const openaiOptions = z.strictObject({
  endpoint: z.enum(endpoints).default('chat').describe('Which call of the protocol the model makes.'),
  body: z.record(z.string(), z.unknown()).default({}).describe("Fields that clients don't choose."),
});
