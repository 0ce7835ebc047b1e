import type { AttemptRow } from '@holdfast/db/executions/read';
import { formatMoney } from '@holdfast/domain/money';
import { z } from 'zod';
import { amount, idField, timestamp } from '../http/fields.ts';

export const AttemptRecord = z
  .object({
    id: idField('att'),
    number: z.int(),
    provider: z.string().describe('The name of the provider connection'),
    target: z.string().describe("The provider's name for the model"),
    state: z.string(),
    external_id: z.string().nullable().describe("The provider's id of the run"),
    created_at: timestamp('When the attempt started'),
    finished_at: timestamp('When its outcome was recorded').nullable(),
    duration_ms: z.int().nullable(),
    settled_at: timestamp('When the ledger processed the outcome').nullable(),
    outcome: z
      .object({ ok: z.boolean(), code: z.string().nullable(), message: z.string().nullable() })
      .nullable()
      .describe('The outcome, with the error message that clients see'),
    raw_error: z.string().nullable().describe("The provider's error, unmapped"),
    busy_refusals: z.int().describe('How many times the attempt was postponed because a provider was busy'),
    busy_since: timestamp('When it was first postponed').nullable(),
    cost: amount('The cost before the overage policy is applied').nullable(),
    provider_cost: amount(
      'What the run cost at the provider, as it reported or as the model says',
    ).nullable(),
    estimated: z
      .array(z.string())
      .describe(
        'Names of quantities that were charged as estimated: the run neither reported nor showed them',
      ),
  })
  .meta({ id: 'Attempt' });

export function attemptRecord(row: AttemptRow): z.infer<typeof AttemptRecord> {
  return {
    id: row.id,
    number: row.number,
    provider: row.provider,
    target: row.target,
    state: row.state,
    external_id: row.externalId,
    created_at: row.createdAt.toISOString(),
    finished_at: row.finishedAt?.toISOString() ?? null,
    duration_ms: row.finishedAt && row.finishedAt.getTime() - row.createdAt.getTime(),
    settled_at: row.settledAt?.toISOString() ?? null,
    outcome: row.ok === null ? null : { ok: row.ok, code: row.errorCode, message: row.errorMessage },
    raw_error: row.rawError,
    busy_refusals: row.busyRefusals,
    busy_since: row.busySince?.toISOString() ?? null,
    cost: row.cost === null ? null : formatMoney(row.cost),
    provider_cost: row.providerCost === null ? null : formatMoney(row.providerCost),
    estimated: row.estimated ?? [],
  };
}
