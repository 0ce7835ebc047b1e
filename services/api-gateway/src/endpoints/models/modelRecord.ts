import type { ModelDefinition } from '@holdfast/domain/modelDefinition';
import { z } from 'zod';
import { amount, jsonObject } from '../../http/fields.ts';
import { outputSchema } from './outputSchema.ts';

const ModelPrice = z
  .object({
    currency: z.literal('USD'),
    per_run: amount('Per run').optional(),
    per_second: amount('Per second of run time').optional(),
    per_image: amount('Per image').optional(),
    per_megapixel: amount('Per million output pixels').optional(),
    per_input_token: amount('Per input token').optional(),
    per_output_token: amount('Per output token').optional(),
  })
  .meta({ id: 'ModelPrice', example: { currency: 'USD', per_image: '0.04' } });

const InputSchema = jsonObject('JSON Schema of `input`', {
  type: 'object',
  required: ['prompt'],
  properties: { prompt: { type: 'string' } },
}).meta({ id: 'InputSchema' });

const OutputSchema = jsonObject('JSON Schema of the output. Strings with `format: file` are ids of files', {
  type: 'object',
  required: ['text'],
  properties: { text: { type: 'string' } },
}).meta({ id: 'OutputSchema' });

/** A model as clients see it: its input, output and price, never its providers. */
export const ModelRecord = z
  .object({
    slug: z.string().meta({ example: 'sandbox-image' }),
    display_name: z.string().meta({ example: 'Sandbox image' }),
    description: z.string().meta({ example: 'Draws an image of a prompt.' }),
    price: ModelPrice,
    timeout_seconds: z.int().meta({
      description: 'Seconds until an execution expires, unless the request sets `timeout_seconds`',
      example: 600,
    }),
    input_schema: InputSchema,
    output_schema: OutputSchema,
  })
  .meta({ id: 'Model' });

export function modelRecord(definition: ModelDefinition): z.infer<typeof ModelRecord> {
  const { cost_from_provider: _, ...prices } = definition.price;
  return {
    slug: definition.slug,
    display_name: definition.display_name ?? definition.slug,
    description: definition.description ?? '',
    price: { currency: 'USD', ...prices },
    timeout_seconds: definition.timeout_s,
    input_schema: definition.input_schema,
    output_schema: outputSchema(definition.output.kind),
  };
}
