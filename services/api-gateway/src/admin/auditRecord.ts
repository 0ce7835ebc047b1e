import { invariants, type LastAudit } from '@holdfast/db/audit/audit';
import { z } from 'zod';
import { timestamp } from '../http/fields.ts';

export const AuditRecord = z
  .object({
    finished_at: timestamp('When the last audit ended').nullable().describe('Null: none has ended yet'),
    requested_at: timestamp('When an operator asked for an audit that has not started yet').nullable(),
    is_consistent: z.boolean().nullable().describe('Whether every invariant holds; null: unknown'),
    invariants: z.array(
      z
        .object({
          invariant: z.string().meta({ example: 'every organization has its balance' }),
          broken_by: z.int().describe('Number of rows that break it; at most 100 are counted'),
        })
        .meta({ id: 'AuditedInvariant' }),
    ),
  })
  .meta({ id: 'LedgerAudit' });

export function auditRecord(last: LastAudit | null): z.infer<typeof AuditRecord> {
  const checked = Object.keys(invariants).map((invariant) => ({
    invariant,
    broken_by: last?.breaches[invariant] ?? 0,
  }));
  return {
    finished_at: last ? new Date(last.finishedAtS * 1000).toISOString() : null,
    requested_at: last?.requestedAt?.toISOString() ?? null,
    is_consistent: last ? checked.every(({ broken_by: rows }) => rows === 0) : null,
    invariants: last ? checked : [],
  };
}
