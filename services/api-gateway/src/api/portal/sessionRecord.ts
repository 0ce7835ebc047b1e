import type { PortalSession } from '@holdfast/db/portalSessions';
import {
  capabilityScopes,
  colorSchemes,
  isImageUrl,
  isPageUrl,
  portalCapabilities,
} from '@holdfast/domain/portal';
import { z } from 'zod';
import type { Caller } from '../../access/identity.ts';
import type { GatewayConfig } from '../../context/config.ts';
import { idField, timestamp } from '../../http/fields.ts';

export const capabilitiesField = z.array(z.enum(portalCapabilities)).meta({
  description:
    'What the session may show and change: `executions` (read, cancel), `webhooks` (endpoints and deliveries), `keys` ' +
    '(API keys), `usage` (balance and usage), `topup` (a link to the payment page, where the operator has one)',
  example: ['executions', 'webhooks'],
});

export const pageUrl = (description: string) =>
  z
    .string()
    .max(1000)
    .refine(isPageUrl, {
      message: 'must be an https URL without user, port 0, quotes, commas or spaces',
      params: { code: 'INVALID_URL' },
    })
    .meta({ description, example: 'https://app.example.com/settings' });

export const themeFields = {
  accent: z
    .string()
    .regex(/^#[0-9a-f]{6}$/i, 'must be a color such as #4f46e5')
    .meta({ description: 'The color of buttons and links', example: '#4f46e5' }),
  logo_url: z
    .string()
    .max(1000)
    .refine(isImageUrl, {
      message: 'must be the https URL of one image, whose path does not end in a slash',
      params: { code: 'INVALID_URL' },
    })
    .meta({ description: 'An image, at most 32 pixels high', example: 'https://app.example.com/logo.svg' }),
  color_scheme: z.enum(colorSchemes).describe('`auto`: as the browser prefers'),
};

/** The session of the portal as its own pages see it. */
export const PortalView = z.object({
  id: idField('pses'),
  organization_id: idField('org'),
  organization_name: z.string(),
  capabilities: capabilitiesField,
  scopes: z.array(z.string()).describe('What its key may do, which limits the capabilities further'),
  key_id: idField('key').nullable().describe('Its key, with which it ends; null: an operator made it'),
  theme: z.object({
    accent: themeFields.accent.nullable(),
    logo_url: themeFields.logo_url.nullable(),
    color_scheme: themeFields.color_scheme,
  }),
  return_url: z.string().nullable(),
  top_up_url: z.string().nullable(),
  expires_at: timestamp('When the session ends'),
});

export function portalView(
  session: PortalSession,
  { scopes, apiKeyId }: Pick<Caller, 'scopes' | 'apiKeyId'>,
  { PORTAL_TOP_UP_URL: payment }: Pick<GatewayConfig, 'PORTAL_TOP_UP_URL'>,
): z.infer<typeof PortalView> {
  const capabilities = session.capabilities.filter((one) => scopes.includes(capabilityScopes[one]));
  const paysFor = capabilities.includes('topup') && !session.isTest ? payment : undefined;
  return {
    id: session.id,
    organization_id: session.organizationId,
    organization_name: session.organizationName,
    capabilities,
    scopes: [...scopes],
    key_id: session.keyHash === null ? null : apiKeyId,
    theme: { accent: session.accent, logo_url: session.logoUrl, color_scheme: session.colorScheme },
    return_url: session.returnUrl,
    top_up_url: paysFor?.replaceAll('{organization_id}', session.organizationId) ?? null,
    expires_at: session.endsAt.toISOString(),
  };
}
