import {
  type Execution,
  priorities,
  requestPriorities,
  statusRecord,
  type UsageRecord,
} from '@holdfast/domain/execution';
import { executionStatuses } from '@holdfast/domain/statuses';
import { z } from 'zod';
import { amount, errorUrl, exampleId, idField, jsonObject, timestamp } from '../http/fields.ts';

export const exampleOutput = {
  images: [{ file_id: 'file_01981e9d-8f21-7b60-a2c4-6d0e8f1a2b3c', format: 'png', width: 1024, height: 768 }],
};

export const exampleUsage = { input_tokens: 0, output_tokens: 0, images: 1 };

export const exampleCreated = {
  id: 'exec_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d',
  status: 'PENDING',
  model: 'sandbox-image',
  hold_amount: '0.048',
  estimated_cost: '0.04',
  expires_at: '2026-03-20T10:40:00.000Z',
  created_at: '2026-03-20T10:30:00.000Z',
};

const exampleUrls = executionUrls('https://api.example.com', exampleCreated.id);

export const exampleExecution = {
  ...exampleCreated,
  status: 'COMPLETED',
  mode: 'ASYNC',
  priority: 'normal',
  progress: 1,
  queue_position: null,
  metadata: { order: 'A-17' },
  webhook_url: null,
  started_at: '2026-03-20T10:30:00.120Z',
  completed_at: '2026-03-20T10:30:08.420Z',
  cost: '0.04',
  error: null,
  erased_at: null,
  result: exampleOutput,
  usage: exampleUsage,
  latency_ms: 8420,
};

export const ExecutionStatus = z.enum(executionStatuses).meta({ id: 'ExecutionStatus', example: 'PENDING' });
export const Priority = z.enum(requestPriorities).meta({ id: 'Priority', example: 'normal' });

const ExecutionPriority = z.enum(priorities).meta({
  id: 'ExecutionPriority',
  description: '`batch`: it runs an item of a batch, and starts when nothing else may',
  example: 'normal',
});

const Output = jsonObject('Model-specific output', exampleOutput).meta({ id: 'ExecutionOutput' });

export const Metadata = jsonObject('Your own data', { order: 'A-17' }).meta({ id: 'Metadata' });

const billed = (description: string) => z.number().optional().describe(description);

const ExecutionUsage = z
  .object({
    input_tokens: z.int().describe('Input tokens, if the model counts them'),
    output_tokens: z.int().describe('Output tokens, if the model counts them'),
    seconds: billed('Seconds of the output, or of the run'),
    images: billed('Images'),
    megapixels: billed('Million pixels of the output'),
    characters: billed('Characters of the input'),
    input_seconds: billed('Seconds of the audio or video in the input'),
    input_megapixels: billed('Million pixels of the input'),
    units: z
      .record(z.string(), z.number())
      .meta({
        id: 'BilledUnits',
        description: 'Numbers of the input that have a price, by property',
        example: { steps: 28 },
      })
      .optional(),
    estimated: z
      .array(z.string())
      .optional()
      .meta({
        description: 'Names of quantities that could not be measured: they were charged as estimated',
        example: ['seconds'],
      }),
    usage_estimated: z
      .literal(true)
      .optional()
      .describe('The provider of a stream reported no tokens: they were counted by its bytes'),
  } satisfies Record<keyof UsageRecord['usage'], z.ZodType>)
  .meta({
    id: 'ExecutionUsage',
    description:
      'What was charged for: tokens, and the other quantities that the price of the model depends on',
    example: exampleUsage,
  });

const ExecutionError = z
  .object({
    code: z.string().meta({ description: 'A code of the error table', example: 'GENERATION_FAILED' }),
    message: z.string().meta({ example: 'The provider failed to produce an output.' }),
    retryable: z.boolean().meta({ description: 'Whether a new execution may succeed', example: true }),
    doc_url: z.string().optional().meta({
      description: 'A page about this code; events omit it',
      example: 'https://api.example.com/docs/errors/GENERATION_FAILED',
    }),
  })
  .meta({ id: 'ExecutionError' });

const ExecutionUrls = z
  .object({
    self: z.string().meta({ description: 'The execution', example: exampleUrls.self }),
    result: z.string().meta({ description: 'Its result, once completed', example: exampleUrls.result }),
    events: z.string().meta({ description: 'Its events as they happen', example: exampleUrls.events }),
    stream: z.string().meta({
      description:
        'Its output as it is made. After a create with `stream: true` it contains a token, so that an `EventSource` can open it',
      example: exampleUrls.stream,
    }),
    cancel: z.string().meta({ description: '`POST` here to cancel it', example: exampleUrls.cancel }),
  })
  .meta({ id: 'ExecutionUrls', description: 'Where to read, follow and cancel it', example: exampleUrls });

export function executionUrls(publicUrl: string, id: string) {
  const self = `${publicUrl}/v1/executions/${id}`;
  return {
    self,
    result: `${self}/result`,
    events: `${self}/events`,
    stream: `${self}/stream`,
    cancel: `${self}/cancel`,
  };
}

export function executionRecord(execution: Execution, publicUrl: string) {
  const record = statusRecord(execution);
  const { error } = record;
  return { ...record, error: error && { ...error, doc_url: errorUrl(publicUrl, error.code) } };
}

export function executionDetails(execution: Execution, publicUrl: string) {
  const { id, logs } = execution;
  return { ...executionRecord(execution, publicUrl), logs, urls: executionUrls(publicUrl, id) };
}

const createFields = {
  id: idField('exec'),
  status: ExecutionStatus,
  model: z.string().meta({ description: 'Model slug as submitted', example: 'sandbox-image' }),
  hold_amount: amount('The amount reserved from the balance; released if the execution does not complete'),
  estimated_cost: amount('The expected cost'),
  expires_at: timestamp('When it expires if it has no result'),
  created_at: timestamp('When it was accepted'),
};

/** The response of a create: contract 2.2. */
export const CreatedExecution = z.object({ ...createFields, urls: ExecutionUrls }).meta({
  id: 'CreatedExecution',
  example: { ...exampleCreated, urls: exampleUrls },
});

export const progressFields = {
  progress: z
    .number()
    .min(0)
    .max(1)
    .nullable()
    .meta({ description: 'Progress from 0 to 1, if known; 1 once completed', example: 1 }),
  queue_position: z
    .int()
    .nullable()
    .meta({ description: 'Position in the queue of its provider, if known', example: null }),
};

const latency = z.int().meta({ description: 'Milliseconds from creation to completion', example: 8420 });

/** The status record: what reads, lists and streams return, and the `data` of events. */
export const ExecutionRecord = z
  .object({
    ...createFields,
    mode: z.literal('ASYNC'),
    priority: ExecutionPriority,
    ...progressFields,
    metadata: Metadata.nullable().describe('As submitted'),
    webhook_url: z.string().nullable(),
    started_at: timestamp('When it started').nullable(),
    completed_at: timestamp('When it ended, with any final status').nullable(),
    cost: amount('The amount charged').nullable(),
    error: ExecutionError.nullable().describe('Why it failed or expired'),
    erased_at: timestamp('When its input, output and files were erased').nullable().meta({ example: null }),
    result: Output.optional().describe('Present when `COMPLETED`, until the execution is erased'),
    usage: ExecutionUsage.optional().describe('Present when `COMPLETED`, and when a cancel was charged'),
    latency_ms: latency
      .optional()
      .describe('Present when `COMPLETED`: milliseconds from creation to completion'),
    finish_reason: z.string().optional().meta({
      description:
        'Why the output ended, as the provider says it, such as `stop` or `length`; `budget`: the hold or the balance was used up; `deadline`: the execution was about to expire',
      example: 'stop',
    }),
    partial_output: z.string().optional().meta({
      description: 'What a stream that did not complete had shown',
      example: 'Once upon a',
    }),
    batch_id: z
      .string()
      .optional()
      .meta({
        description: 'The batch of which it runs an item',
        example: exampleId('bat'),
      }),
    custom_id: z.string().optional().meta({ description: "The item's `custom_id`", example: 'line-17' }),
  })
  .meta({ id: 'Execution', example: exampleExecution });

/** With the log, which lists and events omit for its size. */
export const ExecutionWithLogs = ExecutionRecord.extend({
  logs: z.string().nullable().meta({
    description: 'The last 64 KiB of the log, if the model writes one',
    example: 'Step 1 of 4\nStep 2 of 4\n',
  }),
});

export const ExecutionDetails = ExecutionWithLogs.extend({ urls: ExecutionUrls }).meta({
  id: 'ExecutionDetails',
  example: { ...exampleExecution, logs: 'Step 1 of 4\nStep 2 of 4\n', urls: exampleUrls },
});

/** The result: contract 3.2. */
export const ExecutionResult = z
  .object({
    execution_id: idField('exec'),
    status: z.literal('COMPLETED'),
    output: Output,
    usage: ExecutionUsage,
    cost: amount('The amount charged'),
    latency_ms: latency,
  })
  .meta({ id: 'ExecutionResult' });
