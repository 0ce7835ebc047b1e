import { apiKeyModes, apiKeyPermissions, apiKeyScopes } from '@holdfast/domain/apiKey';
import { modelSlug } from '@holdfast/domain/modelDefinition';
import { z } from 'zod';
import type { Context } from '../context.ts';
import { timeField } from '../http/fields.ts';
import { invalidInput } from '../http/validate.ts';
import { isAddressRange } from './keyBounds.ts';
import { unknownModels } from './modelAccess.ts';

export const scopesField = z.array(z.enum(apiKeyScopes)).meta({
  description: 'What it may do; models are read with any key',
  example: ['executions:write', 'files'],
});

export const modelsField = z
  .array(modelSlug)
  .max(100)
  .meta({
    description:
      'Slugs of the models that it may use, and whose executions, events and deliveries it reads; empty: all',
    example: ['sandbox-image'],
  });

export const addressesField = z
  .array(
    z.string().refine(isAddressRange, {
      message: 'must be an IPv4 or IPv6 address or CIDR range, as 203.0.113.7 or 2001:db8::/32',
      params: { code: 'INVALID_FORMAT' },
    }),
  )
  .max(50)
  .meta({
    description: 'Addresses and CIDR ranges that it may be used from; empty: all',
    example: ['203.0.113.0/24'],
  });

/** What a new key is asked to be, by a client or by the operator. */
export const apiKeyRequest = z
  .strictObject({
    name: z.string().trim().min(1).max(100).meta({ description: 'A label for people', example: 'CI' }),
    permissions: z
      .enum(apiKeyPermissions)
      .optional()
      .describe('`full` (of a key without bounds the default), or `execution`: executions and files alone'),
    mode: z
      .enum(apiKeyModes)
      .optional()
      .describe('`test`: it runs models of the sandbox alone, and is never charged'),
    scopes: scopesField
      .min(1)
      .max(apiKeyScopes.length)
      .optional()
      .describe('In place of `permissions`: what it may do'),
    expires_at: timeField().optional().describe('When it stops working; left out: never'),
    models: modelsField.optional(),
    addresses: addressesField.optional(),
  })
  .meta({
    id: 'ApiKeyRequest',
    example: {
      name: 'CI',
      scopes: ['executions:write', 'executions:read'],
      expires_at: '2027-01-01T00:00:00Z',
      models: ['sandbox-image'],
      addresses: ['203.0.113.0/24'],
    },
  });
export type ApiKeyRequest = z.infer<typeof apiKeyRequest>;

/** What the schema can't say. @throws ApiError INPUT_VALIDATION_ERROR */
export async function checkKeyRequest({ models }: Context, asked: ApiKeyRequest): Promise<void> {
  const details = await unknownModels(models, asked.models ?? []);
  if (asked.permissions && asked.scopes) {
    details.push({
      field: 'scopes',
      code: 'INVALID',
      message: 'scopes stand in place of permissions: give one.',
    });
  }
  if (asked.expires_at !== undefined && Date.parse(asked.expires_at) <= Date.now()) {
    details.push({ field: 'expires_at', code: 'OUT_OF_RANGE', message: 'expires_at must be in the future.' });
  }
  if (details.length > 0) throw invalidInput(details);
}
