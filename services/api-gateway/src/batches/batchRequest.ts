import { hash } from 'node:crypto';
import { type Batch, itemEvents } from '@holdfast/domain/batch';
import { limits } from '@holdfast/domain/limits';
import { z } from 'zod';
import { createBody } from '../executions/createRequest.ts';
import { Metadata } from '../executions/records.ts';
import { limitAmount } from '../money/amounts.ts';

const { model, input, webhook_url, metadata, timeout_seconds } = createBody.shape;

/** What items have that do not say otherwise. */
const Defaults = z.strictObject({ input: input.optional(), metadata, timeout_seconds }).meta({
  id: 'BatchItemDefaults',
  description: 'Of items that do not say otherwise: properties of an item take precedence',
});

export const batchBody = z
  .strictObject({
    model: model.optional().describe('Model slug of items without one'),
    defaults: Defaults.optional(),
    metadata,
    webhook_url: webhook_url.describe('Receives the events of the batch'),
    max_cost: limitAmount.optional().meta({
      description: 'Pauses before an item whose hold, with what was charged and is held, would exceed this',
      example: '25.00',
    }),
    on_insufficient_balance: z.enum(['pause', 'cancel']).default('pause').meta({
      description: '`pause`: goes on by itself after a top-up; `cancel`: cancels the items that wait',
      example: 'pause',
    }),
    completion_window_s: z
      .int()
      .min(60)
      .max(limits.maxBatchWindowS)
      .default(limits.defaultBatchWindowS)
      .meta({
        description: 'Seconds from the seal until items that still wait expire',
        example: 86_400,
      }),
    events: z.enum(itemEvents).default('none').meta({
      description: 'Which events its executions have: none, those of failed and expired ones, or all',
      example: 'none',
    }),
    reserve: z.boolean().default(false).meta({
      description: 'Takes the holds of all items from the balance at the seal, at most `max_cost`',
      example: false,
    }),
  })
  .meta({ id: 'CreateBatch' });

/** One line of the items. */
export const itemLine = z.strictObject({
  custom_id: z.string().min(1).max(limits.customIdLength),
  model: model.optional(),
  input: input.optional(),
  metadata: Metadata.optional(),
  timeout_seconds,
});

export type ItemLine = z.infer<typeof itemLine>;

/** A create of an execution that the line asks for. */
export function itemBody(line: ItemLine, { model, defaults }: Pick<Batch, 'model' | 'defaults'>) {
  return {
    model: line.model ?? model ?? undefined,
    input: { ...defaults?.input, ...line.input },
    metadata: line.metadata || defaults?.metadata ? { ...defaults?.metadata, ...line.metadata } : undefined,
    timeout_seconds: line.timeout_seconds ?? defaults?.timeout_seconds,
  };
}

/** A UUID of a digest, in which the database keeps it in a third of the space. */
export function digestUuid(text: string): string {
  const hex = hash('sha256', text);
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join(
    '-',
  );
}
