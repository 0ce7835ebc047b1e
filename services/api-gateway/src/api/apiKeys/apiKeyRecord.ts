import type { ApiKeyRow } from '@holdfast/db/apiKeys';
import { getSpendLimits, type SpendLimit } from '@holdfast/db/spendLimits';
import { apiKeyModes, apiKeyPermissions } from '@holdfast/domain/apiKey';
import { z } from 'zod';
import { addressesField, modelsField, scopesField } from '../../access/keyRequest.ts';
import type { Context } from '../../context/context.ts';
import { idField, timestamp } from '../../http/fields.ts';
import { spendLimitField, spendLimitRecord } from '../../money/spendLimits.ts';

export const apiKeyFields = {
  id: idField('key'),
  name: z.string().meta({ example: 'CI' }),
  prefix: z.string().meta({ description: 'The first characters of the key', example: 'sk_4f1d8a2c' }),
  permissions: z
    .enum(apiKeyPermissions)
    .describe('`full`: the key has every scope; otherwise `execution`. `scopes` has the exact rights'),
  mode: z
    .enum(apiKeyModes)
    .describe(
      '`test`: the key has its own executions, files, webhooks and test balance, and runs only sandbox models',
    ),
  scopes: scopesField,
  expires_at: timestamp('When the key stops working; null: never').nullable(),
  models: modelsField,
  addresses: addressesField,
};

export const exampleKey = `sk_${'0123456789abcdef'.repeat(4)}_e1ac3a3f`;

export const ApiKeyRecord = z
  .object({
    ...apiKeyFields,
    created_at: timestamp('When the key was created'),
    revoked_at: timestamp('When the key was revoked; null: active').nullable(),
    spend_limit: spendLimitField,
  })
  .meta({ id: 'ApiKey' });

export function apiKeyBase(row: Omit<ApiKeyRow, 'createdAt' | 'revokedAt'>) {
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
    ...apiKeyBase(row),
    created_at: row.createdAt.toISOString(),
    revoked_at: row.revokedAt?.toISOString() ?? null,
    spend_limit: spendLimitRecord(limit),
  };
}

/** The records of all rows, with their limits read in one query. */
export async function apiKeyRecords({ db }: Context, rows: ApiKeyRow[]) {
  const limits = await getSpendLimits(
    db,
    rows.map(({ id }) => id),
  );
  return rows.map((row) => apiKeyRecord(row, limits.get(row.id)));
}
