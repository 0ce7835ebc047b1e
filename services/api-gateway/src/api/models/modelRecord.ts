import { cancelPolicies, type ModelDefinition, streamKinds } from '@holdfast/domain/modelDefinition';
import { inputUnits, priceLines, runUnits } from '@holdfast/domain/priceLines';
import { z } from 'zod';
import { amount, jsonObject } from '../../http/fields.ts';
import { outputSchema } from './outputSchema.ts';

const PriceRow = z
  .object({
    when: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).meta({
      id: 'PriceCondition',
      description: 'Values of input properties; empty: any input',
      example: { quality: 'high' },
    }),
    price: amount('The price of one unit').meta({ example: '0.04' }),
  })
  .meta({ id: 'PriceRow' });

const PriceEntry = z
  .object({
    unit: z.enum([...runUnits, ...inputUnits]).meta({ description: 'What is priced', example: 'image' }),
    input: z.string().optional().meta({
      description: 'The input property with the text, the files or the number; of units of the input',
      example: 'steps',
    }),
    rows: z
      .array(PriceRow)
      .min(1)
      .describe(
        'The first row that fits the input applies. One row if the price does not depend on the input',
      ),
  })
  .meta({ id: 'PriceEntry' });

const examplePrice = {
  currency: 'USD',
  entries: [{ unit: 'image', rows: [{ when: {}, price: '0.04' }] }],
  per_image: '0.04',
};

const ModelPrice = z
  .object({
    currency: z.literal('USD'),
    entries: z.array(PriceEntry).describe('All prices of the model; a run costs their sum'),
    minimum: amount('The least that a completed run costs').optional(),
    per_run: amount('Per run, if it does not depend on the input, like those below').optional(),
    per_second: amount('Per second of the output, or of the run').optional(),
    per_image: amount('Per image').optional(),
    per_megapixel: amount('Per million output pixels').optional(),
    per_input_token: amount('Per input token').optional(),
    per_output_token: amount('Per output token').optional(),
  })
  .meta({ id: 'ModelPrice', example: examplePrice });

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
    stream: z.enum(streamKinds).nullable().meta({
      description: 'What the model shows while it runs, to executions with `stream: true`; null: nothing',
      example: null,
    }),
    on_cancel: z.enum(cancelPolicies).nullable().meta({
      description:
        'What a cancel of a stream costs after output was shown: nothing (`release`), or what was shown (`charge`)',
      example: null,
    }),
  })
  .meta({ id: 'Model' });

export function modelRecord(definition: ModelDefinition): z.infer<typeof ModelRecord> {
  return {
    slug: definition.slug,
    display_name: definition.display_name ?? definition.slug,
    description: definition.description ?? '',
    price: priceRecord(definition.price),
    timeout_seconds: definition.timeout_s,
    input_schema: definition.input_schema,
    output_schema: outputSchema(definition.output.kind),
    stream: definition.stream ?? null,
    on_cancel: definition.on_cancel ?? null,
  };
}

function priceRecord(price: ModelDefinition['price']): z.infer<typeof ModelPrice> {
  const lines = priceLines(price);
  const flat = lines.flatMap(({ unit, price: of, ...line }) =>
    typeof of === 'string' && !('input' in line) ? [[`per_${unit}`, of]] : [],
  );
  const entries = lines.map(({ unit, price: of, ...line }) => ({
    unit,
    ...('input' in line && { input: line.input }),
    rows: typeof of === 'string' ? [{ when: {}, price: of }] : of,
  }));
  return {
    currency: 'USD',
    entries,
    ...(price.minimum !== undefined && { minimum: price.minimum }),
    ...Object.fromEntries(flat),
  };
}
