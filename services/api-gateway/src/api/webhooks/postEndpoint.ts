import { insertWebhookEndpoint } from '@holdfast/db/webhooks/endpoints';
import { invalidField } from '@holdfast/domain/errors';
import { newId } from '@holdfast/domain/ids';
import { limits } from '@holdfast/domain/limits';
import { newWebhookSecret } from '@holdfast/domain/webhookSignature';
import { z } from 'zod';
import { modelsWithin, unknownModels } from '../../access/models.ts';
import type { Context } from '../../context/context.ts';
import { endpoint } from '../../context/endpoint.ts';
import { type EndpointResponse, linkTo } from '../../http/endpoint.ts';
import { invalidInput } from '../../http/validate.ts';
import { headerProblems, sealedHeaders } from './customHeaders.ts';
import {
  descriptionField,
  dialectField,
  eventsField,
  headersField,
  maxEndpoints,
  maxInFlightField,
  maxPerSecondField,
  modelsField,
  payloadField,
} from './endpointFields.ts';
import { WebhookEndpoint, webhookEndpointRecord } from './endpointRecord.ts';

const Body = z
  .strictObject({
    url: z.string().meta({
      description:
        'An HTTPS URL on port 443 or 8443, with a host name or an address. The operator may allow ports 1024 and above',
      example: 'https://example.com/hooks',
    }),
    description: descriptionField.default(''),
    events: eventsField.default([]),
    models: modelsField.default([]),
    payload: payloadField.default('full'),
    dialect: dialectField.default('holdfast'),
    max_in_flight: maxInFlightField.default(limits.webhookMaxInFlight),
    max_per_second: maxPerSecondField.default(null),
    headers: headersField.default({}),
  })
  .meta({ id: 'WebhookEndpointRequest' });

const Created = WebhookEndpoint.extend({
  secret: z.string().meta({
    description: 'Signs the deliveries. Returned only once',
    example: 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD',
  }),
}).meta({ id: 'CreatedWebhookEndpoint' });

const endpointLinks = {
  test: linkTo('testWebhookEndpoint', 'id', 'Sends it a test event'),
  deliveries: linkTo('listWebhookEndpointDeliveries', 'id', 'The deliveries to it'),
} satisfies EndpointResponse['links'];

export const postEndpoint = endpoint({
  method: 'POST',
  path: '/v1/webhooks/endpoints',
  operationId: 'createWebhookEndpoint',
  tag: 'Webhooks',
  summary: 'Register a webhook endpoint',
  description: `Returns the secret that signs its deliveries, only this once. An organization has at most ${maxEndpoints} endpoints.`,
  scope: 'webhooks',
  limit: 'other',
  body: Body,
  responses: {
    201: { description: 'The endpoint, with its secret', schema: Created, links: endpointLinks },
  },
  async handle({ context, caller, body }) {
    const models = modelsWithin(caller, body.models);
    await check(context, body);
    const secret = newWebhookSecret();
    const row = await insertWebhookEndpoint(
      context.db,
      {
        id: newId('wh'),
        organizationId: caller.organizationId,
        url: body.url,
        description: body.description,
        events: [...new Set(body.events)],
        models,
        payload: body.payload,
        dialect: body.dialect,
        maxInFlight: body.max_in_flight,
        maxPerSecond: body.max_per_second,
        headers: sealedHeaders(context.box, body.headers),
        secret: context.box.seal(secret),
      },
      maxEndpoints,
    );
    if (!row)
      throw invalidField('url', 'LIMIT_REACHED', `The organization already has ${maxEndpoints} endpoints.`);
    return { status: 201, body: { ...webhookEndpointRecord(row), secret } };
  },
});

async function check(
  { egress, models }: Context,
  { url, headers, models: slugs }: z.infer<typeof Body>,
): Promise<void> {
  const problem = egress.checkNewUrl(url);
  const details = [
    ...(problem ? [{ field: 'url', code: problem.code, message: `url ${problem.message}.` }] : []),
    ...headerProblems(headers),
    ...(await unknownModels(models, slugs)),
  ];
  if (details.length > 0) throw invalidInput(details);
}
