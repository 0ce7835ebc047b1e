import { insertWebhookEndpoint } from '@holdfast/db/webhookEndpoints/insert';
import { invalidField } from '@holdfast/domain/errors';
import { newId } from '@holdfast/domain/ids';
import { newWebhookSecret } from '@holdfast/domain/webhookSignature';
import type { EgressPolicy } from '@holdfast/egress/policy';
import { z } from 'zod';
import { endpoint } from '../../http/endpoint.ts';
import { invalidInput } from '../../http/validate.ts';
import { headerProblems } from '../../webhooks/customHeaders.ts';
import { descriptionField, eventsField, maxEndpoints } from './endpointFields.ts';
import { WebhookEndpoint, webhookEndpointRecord } from './endpointRecord.ts';

const Body = z
  .strictObject({
    url: z.string().meta({ description: 'HTTPS, on port 443 or 8443', example: 'https://example.com/hooks' }),
    description: descriptionField.default(''),
    events: eventsField.default([]),
    headers: z
      .record(z.string(), z.string())
      .default({})
      .meta({
        description: 'Added to every delivery; at most 20, each up to 4 KiB. Never shown again',
        example: { 'X-Tenant': 'acme' },
      }),
  })
  .meta({ id: 'WebhookEndpointRequest' });

const Created = WebhookEndpoint.extend({
  secret: z.string().meta({
    description: 'Signs the deliveries. Shown only here',
    example: 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD',
  }),
}).meta({ id: 'CreatedWebhookEndpoint' });

export const postEndpoint = endpoint({
  method: 'POST',
  path: '/v1/webhooks/endpoints',
  tag: 'Webhooks',
  summary: 'Register a webhook endpoint',
  permission: 'full',
  limit: 'other',
  body: Body,
  responses: { 201: { description: 'The endpoint, with its secret', schema: Created } },
  async handle({ context, caller, body }) {
    check(context.egress, body);
    const secret = newWebhookSecret();
    const row = await insertWebhookEndpoint(
      context.db,
      {
        id: newId('wh'),
        organizationId: caller.organizationId,
        url: body.url,
        description: body.description,
        events: [...new Set(body.events)],
        headers: sealedHeaders(context.box, body.headers),
        secret: context.box.seal(secret),
      },
      maxEndpoints,
    );
    if (!row) throw invalidField('url', 'LIMIT_REACHED', `There are ${maxEndpoints} endpoints already.`);
    return { status: 201, body: { ...webhookEndpointRecord(row), secret } };
  },
});

function check(egress: EgressPolicy, { url, headers }: z.infer<typeof Body>): void {
  const problem = egress.checkUrl(url);
  const details = [
    ...(problem ? [{ field: 'url', code: problem.code, message: `url ${problem.message}.` }] : []),
    ...headerProblems(headers),
  ];
  if (details.length > 0) throw invalidInput(details);
}

function sealedHeaders(box: { seal(plain: string): string }, headers: Record<string, string>) {
  return Object.keys(headers).length === 0 ? null : box.seal(JSON.stringify(headers));
}
