import type { Money } from '@holdfast/domain/money';
import type { Database } from '../client.ts';
import { type Adjustment, adjustBalance } from './adjust.ts';

/**
 * A top-up by who may write one: the owner of the database (setup, tests) and the ledger. @throws without such an
 * organization
 */
export async function topUp(
  db: Database,
  args: { organizationId: string; amount: Money; reason: string | null; idempotencyKey: string | null },
): Promise<Adjustment> {
  const result = await adjustBalance(db, { ...args, kind: 'top_up' });
  if (result.outcome !== 'added') throw new Error(`a top-up was not added: ${result.outcome}`);
  return result.transfer;
}
