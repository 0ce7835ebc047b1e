import type { ApiKeyRow } from '@holdfast/db/apiKeys';
import { getSpendLimits, type SpendLimit } from '@holdfast/db/spendLimits';
import { apiKeyModes, apiKeyPermissions } from '@holdfast/domain/apiKey';
import { z } from 'zod';
import { addressesField, modelsField, scopesField } from '../../apiKeys/keyRequest.ts';
import type { Context } from '../../context.ts';
import { idField, timestamp } from '../../http/fields.ts';
import { spendLimitField, spendLimitRecord } from '../../money/spendLimits.ts';

/** What every answer about a key carries. */
export const apiKeyFields = {
  id: idField('key'),
  name: z.string().meta({ example: 'CI' }),
  prefix: z.string().meta({ description: 'How the key begins', example: 'sk_4f1d8a2c' }),
  permissions: z
    .enum(apiKeyPermissions)
    .describe('`full`: it has every scope; else `execution`, and `scopes` say more exactly'),
  mode: z
    .enum(apiKeyModes)
    .describe(
      '`test`: it has executions, files, webhooks and play money of its own, and runs models of the sandbox',
    ),
  scopes: scopesField,
  expires_at: timestamp('When it stops working; null: never').nullable(),
  models: modelsField,
  addresses: addressesField,
};

export const exampleKey = `sk_${'0123456789abcdef'.repeat(4)}_e1ac3a3f`;

export const ApiKeyRecord = z
  .object({
    ...apiKeyFields,
    created_at: timestamp('When the key was made'),
    revoked_at: timestamp('When it was revoked; null: it is active').nullable(),
    spend_limit: spendLimitField,
  })
  .meta({ id: 'ApiKey' });

/** The fields that every answer carries. */
export function apiKeyFacts(row: Omit<ApiKeyRow, 'createdAt' | 'revokedAt'>) {
  return {
    id: row.id,
    name: row.name,
    prefix: row.prefix,
    permissions: row.permissions,
    mode: row.isTest ? ('test' as const) : ('live' as const),
    scopes: row.scopes,
    expires_at: row.expiresAt?.toISOString() ?? null,
    models: row.models,
    addresses: row.addresses,
  };
}

export function apiKeyRecord(row: ApiKeyRow, limit?: SpendLimit): z.infer<typeof ApiKeyRecord> {
  return {
    ...apiKeyFacts(row),
    created_at: row.createdAt.toISOString(),
    revoked_at: row.revokedAt?.toISOString() ?? null,
    spend_limit: spendLimitRecord(limit),
  };
}

/** With their limits, which are read at once. */
export async function apiKeyRecords({ db }: Context, rows: ApiKeyRow[]) {
  const limits = await getSpendLimits(
    db,
    rows.map(({ id }) => id),
  );
  return rows.map((row) => apiKeyRecord(row, limits.get(row.id)));
}
