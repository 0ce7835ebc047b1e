import type { ModelCatalogue } from '@holdfast/db/models';
import { apiKeyModes, apiKeyPermissions, apiKeyScopes } from '@holdfast/domain/apiKey';
import { modelSlug } from '@holdfast/domain/modelDefinition';
import { z } from 'zod';
import { timeField } from '../http/fields.ts';
import { invalidInput } from '../http/validate.ts';
import { isAddressRange } from './keyBounds.ts';
import { unknownModels } from './models.ts';

export const scopesField = z.array(z.enum(apiKeyScopes)).meta({
  description: 'What the key may do. Any key may read models',
  example: ['executions:write', 'files'],
});

export const modelsField = z
  .array(modelSlug)
  .max(100)
  .meta({
    description:
      'Slugs of the models that the key may use; it reads only their executions, events and deliveries. Empty: all models',
    example: ['sandbox-image'],
  });

export const addressesField = z
  .array(
    z.string().refine(isAddressRange, {
      message: 'must be an IPv4 or IPv6 address or CIDR range, such as 203.0.113.7 or 2001:db8::/32',
      params: { code: 'INVALID_FORMAT' },
    }),
  )
  .max(50)
  .meta({
    description: 'Addresses and CIDR ranges that the key may be used from; empty: all',
    example: ['203.0.113.0/24'],
  });

export const apiKeyRequest = z
  .strictObject({
    name: z.string().trim().min(1).max(100).meta({ description: 'A label', example: 'CI' }),
    permissions: z
      .enum(apiKeyPermissions)
      .optional()
      .describe(
        '`full`: every scope (the default for a caller with every scope); `execution`: executions and files only',
      ),
    mode: z
      .enum(apiKeyModes)
      .optional()
      .describe('`test`: the key runs only sandbox models and is never charged'),
    scopes: scopesField
      .min(1)
      .max(apiKeyScopes.length)
      .optional()
      .describe('What the key may do, instead of `permissions`'),
    expires_at: timeField().optional().describe('When the key stops working; omitted: never'),
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

/** The database returns a later time with a year of five digits, which is not a date of ISO 8601. A time zone may lead there. */
const lastTimeMs = Date.parse('9999-12-31T23:59:59.999Z');

/** Checks what the schema cannot. @throws ApiError INPUT_VALIDATION_ERROR */
export async function checkKeyRequest(
  { models }: { models: ModelCatalogue },
  request: ApiKeyRequest,
): Promise<void> {
  const details = await unknownModels(models, request.models ?? []);
  if (request.permissions && request.scopes) {
    details.push({
      field: 'scopes',
      code: 'INVALID',
      message: 'scopes and permissions cannot be combined: send one of them.',
    });
  }
  const expiresAtMs = request.expires_at === undefined ? null : Date.parse(request.expires_at);
  if (expiresAtMs !== null && (expiresAtMs <= Date.now() || expiresAtMs > lastTimeMs)) {
    const range = expiresAtMs > lastTimeMs ? 'before the year 10000, in UTC' : 'in the future';
    details.push({ field: 'expires_at', code: 'OUT_OF_RANGE', message: `expires_at must be ${range}.` });
  }
  if (details.length > 0) throw invalidInput(details);
}
