import { z } from 'zod';

// The fields that tables show of the admin API's records; --json prints all fields.

const time = z.string().nullable();

export const spendLimit = z.looseObject({ amount: z.string(), spent: z.string() }).nullable();

export const organization = z.looseObject({
  id: z.string(),
  name: z.string(),
  created_at: z.string(),
  max_concurrency: z.number().nullable(),
  spend_limit: spendLimit,
  overage: z.string().nullable(),
  spend_limit_overage: z.string().nullable(),
  in_force: z.looseObject({ overage: z.string(), spend_limit_overage: z.string() }).nullable(),
  balance: z.looseObject({ available: z.string(), held: z.string() }).optional(),
  spend: z.looseObject({ last_30_days: z.string() }).optional(),
  runs_low: z.boolean().optional(),
});
export type Organization = z.infer<typeof organization>;

export const balance = z.looseObject({
  available: z.string(),
  held: z.string(),
  total: z.string(),
  currency: z.string(),
});

export const adjustment = z.looseObject({
  organization_id: z.string(),
  amount: z.string(),
  created_at: z.string(),
  balance,
});

export const refund = adjustment.extend({ execution_id: z.string() });

export const apiKey = z.looseObject({
  id: z.string(),
  name: z.string(),
  prefix: z.string(),
  permissions: z.string(),
  mode: z.string(),
  scopes: z.array(z.string()),
  expires_at: time,
  models: z.array(z.string()),
  addresses: z.array(z.string()),
  created_at: z.string(),
  revoked_at: time,
  spend_limit: spendLimit,
});

export const execution = z.looseObject({
  id: z.string(),
  organization_id: z.string(),
  status: z.string(),
  model: z.string(),
  created_at: z.string(),
  completed_at: time,
  cost: z.string().nullable(),
  hold_amount: z.string(),
  progress: z.number().nullable(),
  queue_position: z.number().nullable(),
  error: z.looseObject({ code: z.string(), message: z.string() }).nullable(),
});
export type ExecutionRecord = z.infer<typeof execution>;

export const review = z.looseObject({
  execution_id: z.string(),
  organization_id: z.string(),
  model: z.string().nullable(),
  hold: z.string(),
  reported_cost: z.string(),
  state: z.string(),
  created_at: z.string(),
  decided_at: time,
  decided_by: z.string().nullable(),
  reason: z.string().nullable(),
  charged: z.string().nullable(),
});
export type Review = z.infer<typeof review>;

const attempt = z.looseObject({
  number: z.number(),
  provider: z.string(),
  target: z.string(),
  state: z.string(),
  external_id: z.string().nullable(),
  created_at: z.string(),
  duration_ms: z.number().nullable(),
  outcome: z.looseObject({ code: z.string().nullable() }).nullable(),
  raw_error: z.string().nullable(),
  busy_refusals: z.number().default(0),
  cost: z.string().nullable(),
  estimated: z.array(z.string()).default([]),
});

export const executionWithAttempts = execution.extend({
  priority: z.string(),
  written_off: z.string().nullable(),
  review: review.nullable().default(null),
  started_at: time,
  expires_at: z.string(),
  webhook_url: z.string().nullable(),
  logs: z.string().nullable(),
  attempts: z.array(attempt),
});

export const webhookEndpoint = z.looseObject({
  id: z.string(),
  url: z.string(),
  events: z.array(z.string()),
  is_active: z.boolean(),
  failure_count: z.number(),
  last_success: time,
  last_failure: time,
  last_error: z.string().nullable(),
  created_at: z.string(),
});

export const endpointBacklog = z.looseObject({
  deactivated_at: time,
  waiting: z.number(),
  has_more_waiting: z.boolean(),
  last_attempts: z.array(
    z.looseObject({
      started_at: z.string(),
      status_code: z.number().nullable(),
      error: z.string().nullable(),
      response: z.string().nullable(),
      delivery_id: z.string(),
    }),
  ),
});

export const delivery = z.looseObject({
  id: z.string(),
  event_type: z.string(),
  event_id: z.string(),
  execution_id: z.string().nullable(),
  url: z.string(),
  status: z.string(),
  attempts: z.array(
    z.looseObject({
      number: z.number(),
      started_at: z.string(),
      status_code: z.number().nullable(),
      duration_ms: z.number().nullable(),
      error: z.string().nullable(),
    }),
  ),
  next_attempt_at: time,
  created_at: z.string(),
});
export type Delivery = z.infer<typeof delivery>;
