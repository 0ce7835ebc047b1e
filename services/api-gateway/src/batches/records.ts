import {
  batchReasons,
  type batchRecord,
  batchStatuses,
  finalBatchStatuses,
  itemEvents,
  itemStatuses,
} from '@holdfast/domain/batch';
import { z } from 'zod';
import { Metadata } from '../executions/records.ts';
import { amount, exampleId, idField, jsonObject, timestamp } from '../http/fields.ts';

const count = (description: string) => z.int().meta({ description, example: 0 });

export const BatchCounts = z
  .object({
    total: z.int().meta({ description: 'Items that were accepted', example: 1000 }),
    waiting: z.int().meta({ description: 'Not executions yet: nothing is held for them', example: 240 }),
    running: z.int().meta({ description: 'Executions that have not ended', example: 256 }),
    completed: z.int().meta({ description: 'Completed', example: 503 }),
    failed: z.int().meta({ description: 'Failed', example: 1 }),
    cancelled: count('Cancelled, before or while they ran'),
    expired: count('Expired, before or while they ran'),
  })
  .meta({ id: 'BatchCounts', description: 'How many items there are, in all and with each status' });

export const BatchStatus = z.enum(batchStatuses).meta({ id: 'BatchStatus', example: 'running' });
export const ItemStatus = z.enum(itemStatuses).meta({ id: 'BatchItemStatus', example: 'completed' });

const Defaults = jsonObject('`input`, `metadata` and `timeout_seconds` of items that do not say otherwise', {
  input: { width: 512 },
}).meta({ id: 'BatchDefaults' });

export const Batch = z
  .object({
    id: idField('bat'),
    status: BatchStatus.describe(
      '`open` takes items; `running`; `paused`, see `reason`; `finishing`: no more items start, and the last ones end; then `completed`, `cancelled` or `expired`',
    ),
    reason: z
      .enum(batchReasons)
      .nullable()
      .meta({ description: 'Why it is paused; `input_errors`: why it was cancelled', example: null }),
    ends_as: z.enum(finalBatchStatuses).nullable().meta({
      description: 'What it becomes, or became, at its end; null before',
      example: null,
    }),
    model: z.string().nullable().meta({ description: 'Of items without one', example: 'sandbox-image' }),
    defaults: Defaults.nullable(),
    metadata: Metadata.nullable().describe('As submitted'),
    webhook_url: z.string().nullable().meta({ example: null }),
    max_cost: amount('The most that it may cost; null: no limit').nullable(),
    on_insufficient_balance: z.enum(['pause', 'cancel']).meta({ example: 'pause' }),
    completion_window_s: z.int().meta({ example: 86_400 }),
    events: z.enum(itemEvents).meta({ description: 'Which events its executions have', example: 'none' }),
    reserve: z.boolean().meta({ example: false }),
    counts: BatchCounts,
    cost: amount('What was charged for its items'),
    held: amount('What is held for the items that run'),
    reserved: amount('What is left of its reservation'),
    output_file_id: idField('file', 'Its completed items as NDJSON, readable while it runs'),
    error_file_id: idField('file', 'Its other ended items as NDJSON'),
    created_at: timestamp('When it was created'),
    sealed_at: timestamp('When it was sealed').nullable(),
    expires_at: timestamp('When items that still wait expire'),
    ended_at: timestamp('When its last item had ended').nullable().meta({ example: null }),
    estimated_end_at: timestamp('When it ends if it goes on as since its seal')
      .nullable()
      .meta({ example: null }),
    erased_at: timestamp('When its items were erased').nullable().meta({ example: null }),
  } satisfies Record<keyof ReturnType<typeof batchRecord>, z.ZodType>)
  .meta({ id: 'Batch' });

const ItemError = z
  .object({ code: z.string().meta({ example: 'GENERATION_FAILED' }), message: z.string() })
  .meta({ id: 'BatchItemError' });

export const BatchItem = z
  .object({
    custom_id: z.string().meta({ example: 'line-17' }),
    status: ItemStatus,
    model: z.string().meta({ example: 'sandbox-image' }),
    execution_id: z
      .string()
      .nullable()
      .meta({
        description: 'The execution that runs it, or ran it last; null: it had none',
        example: exampleId('exec'),
      }),
    estimated_cost: amount('The expected cost'),
    hold_amount: amount('What is held while it runs'),
    cost: amount('The amount charged').nullable(),
    error: ItemError.nullable().meta({ description: 'Why it failed or expired', example: null }),
  })
  .meta({ id: 'BatchItem' });
