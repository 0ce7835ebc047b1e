import { insertPortalSession } from '@holdfast/db/portalSessions';
import { hashApiKey } from '@holdfast/domain/apiKey';
import { ApiError, type ErrorDetail } from '@holdfast/domain/errors';
import { newId } from '@holdfast/domain/ids';
import { capabilityScopes, isFrameAncestor, portal } from '@holdfast/domain/portal';
import { z } from 'zod';
import { bearerToken, operatorKeyId } from '../../access/callers.ts';
import { type Caller } from '../../access/identity.ts';
import { portalPath } from '../../access/portalRequest.ts';
import { hashSecret, newSecret } from '../../access/secrets.ts';
import type { Context } from '../../context/context.ts';
import { endpoint } from '../../context/endpoint.ts';
import { idField, timestamp } from '../../http/fields.ts';
import { invalidInput } from '../../http/validate.ts';
import { capabilitiesField, pageUrl, themeFields } from './sessionRecord.ts';

const frameAncestor = z.string().refine(isFrameAncestor, {
  message: 'must be an origin such as https://app.example.com',
  params: { code: 'INVALID_FORMAT' },
});

const Body = z
  .strictObject({
    capabilities: capabilitiesField.min(1).max(10),
    expires_in_s: z
      .int()
      .min(portal.minSessionS)
      .max(portal.maxSessionS)
      .default(portal.defaultSessionS)
      .describe('Seconds from the use of the link until the session ends'),
    frame_ancestors: z
      .array(frameAncestor)
      .max(portal.maxFrameAncestors)
      .default([])
      .meta({
        description: 'Origins of the pages that may show the portal in a frame; empty: none',
        example: ['https://app.example.com'],
      }),
    theme: z
      .strictObject({
        accent: themeFields.accent.optional(),
        logo_url: themeFields.logo_url.optional(),
        color_scheme: themeFields.color_scheme.default('auto'),
      })
      .meta({ id: 'PortalTheme' })
      .optional()
      .describe('How the portal looks'),
    return_url: pageUrl('Where the portal leads back to').optional(),
  })
  .meta({
    id: 'PortalSessionRequest',
    example: {
      capabilities: ['executions', 'webhooks'],
      expires_in_s: 3600,
      frame_ancestors: ['https://app.example.com'],
      theme: { accent: '#4f46e5' },
      return_url: 'https://app.example.com/settings',
    },
  });

const Created = z
  .object({
    id: idField('pses'),
    url: z.string().meta({
      description:
        'The link, for one use. Relative if an operator created it and the service has no PUBLIC_URL. Never log it',
      example: 'https://api.example.com/console/s/pses_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d/#token=link_…',
    }),
    url_expires_at: timestamp('When the link expires unless it is used: after 10 minutes'),
    capabilities: capabilitiesField,
    expires_in_s: z.int().meta({ example: 3600 }),
  })
  .meta({ id: 'PortalSession' });

export const postPortalSession = endpoint({
  method: 'POST',
  path: '/v1/portal-sessions',
  operationId: 'createPortalSession',
  tag: 'Portal',
  summary: 'Create a portal session',
  description:
    'Returns a link that opens the portal of your organization once, as a page or in a frame. The session may do what ' +
    'its capabilities and the key allow, and ends with the value of the key at the latest.',
  scope: 'portal',
  limit: 'other',
  body: Body,
  responses: { 201: { description: 'The link', schema: Created } },
  errors: ['FORBIDDEN', 'RATE_LIMITED'],
  async handle({ context, caller, body, publicUrl, headers }) {
    requireCapabilities(context, caller, body.capabilities);
    const capabilities = [...new Set(body.capabilities)];
    const [id, token] = [newId('pses'), newSecret('link_')];
    const key = caller.apiKeyId === operatorKeyId ? null : bearerToken(headers.authorization);
    const endsAt = await insertPortalSession(context.db, {
      id,
      organizationId: caller.organizationId,
      keyHash: key === null ? null : hashApiKey(key),
      capabilities,
      frameAncestors: body.frame_ancestors,
      accent: body.theme?.accent ?? null,
      logoUrl: body.theme?.logo_url ?? null,
      colorScheme: body.theme?.color_scheme ?? 'auto',
      returnUrl: body.return_url ?? null,
      linkHash: hashSecret(token),
      hash: null,
      lifetimeS: body.expires_in_s,
    });
    if (endsAt === null) throw tooManySessions();
    // Operators call another port than tenants.
    const base = key === null ? (context.config.PUBLIC_URL ?? '').replace(/\/+$/, '') : publicUrl;
    const reply: z.infer<typeof Created> = {
      id,
      url: `${base}${portalPath(id)}#token=${token}`,
      url_expires_at: endsAt.toISOString(),
      capabilities,
      expires_in_s: body.expires_in_s,
    };
    return { status: 201, body: reply };
  },
});

/** @throws ApiError INPUT_VALIDATION_ERROR, FORBIDDEN for a capability beyond the key */
function requireCapabilities(
  { config }: Context,
  { scopes }: Caller,
  capabilities: z.infer<typeof Body>['capabilities'],
): void {
  if (capabilities.includes('topup') && config.PORTAL_TOP_UP_URL === undefined) {
    const details: ErrorDetail[] = [
      { field: 'capabilities', code: 'INVALID', message: 'This service has no payment page for `topup`.' },
    ];
    throw invalidInput(details);
  }
  const excess = capabilities.find((one) => !scopes.includes(capabilityScopes[one]));
  if (excess === undefined) return;
  throw new ApiError(
    'FORBIDDEN',
    `The capability \`${excess}\` requires an API key with the scope \`${capabilityScopes[excess]}\`.`,
  );
}

export function tooManySessions(): ApiError {
  return new ApiError(
    'RATE_LIMITED',
    `The organization already has ${portal.maxOpenPerOrganization} open portal sessions, or the API key ${portal.maxSignedInPerKey} sign-ins.`,
    { headers: { 'Retry-After': String(portal.linkS) } },
  );
}
