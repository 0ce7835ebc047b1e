import { endpointDialects } from '@holdfast/domain/endpointDialects';
import { subscribableEvents } from '@holdfast/domain/events';
import { limits } from '@holdfast/domain/limits';
import { modelSlug } from '@holdfast/domain/modelDefinition';
import { z } from 'zod';

export const descriptionField = z.string().max(1000).meta({ description: 'A label', example: 'Production' });

export const eventsField = z
  .array(z.enum(subscribableEvents))
  .max(100)
  .meta({
    description:
      'Event types to send; empty: all execution events (`execution.*`). Events about your other endpoints ' +
      '(`endpoint.failing`, `endpoint.deactivated`, `endpoint.recovered`) are sent only to endpoints that list them or ' +
      '`endpoint.*`; those about batches (`batch.completed`, `batch.paused`, `batch.cancelled`, `batch.expired`) to those that list ' +
      'them or `batch.*`',
    example: ['execution.completed', 'execution.failed'],
  });

export const modelsField = z
  .array(modelSlug)
  .max(100)
  .meta({
    description:
      'Slugs of the models whose events are sent; empty: all models, or those of the API key if it is limited to `models`',
    example: ['sandbox-image'],
  });

export const payloadField = z.enum(['full', 'thin']).meta({
  description:
    '`full`: the execution with its result. `thin`: only its id and status, for receivers that read the execution themselves',
  example: 'full',
});

export const dialectField = z.enum(endpointDialects).meta({
  description:
    'Whose webhooks the deliveries look like. `openai`: `response.completed`, `response.failed`, `response.cancelled` and ' +
    '`response.incomplete` with the id of the response, `video.completed` and `video.failed` with that of a video, and ' +
    "`batch.*` with that of the batch, which the SDKs' " +
    '`webhooks.unwrap()` verifies and reads; other events are not delivered',
  example: 'holdfast',
});

export const maxInFlightField = z
  .int()
  .min(1)
  .max(256)
  .meta({
    description:
      'Upper bound of concurrent requests to the endpoint; each webhook-sender of the service may have one, even if that is ' +
      'more. Below it, Holdfast sends as many as the endpoint takes without failing or slowing down',
    example: limits.webhookMaxInFlight,
  });

export const maxPerSecondField = z
  .int()
  .min(1)
  .max(10_000)
  .nullable()
  .meta({ description: 'Maximum number of requests per second; null: no limit', example: null });

export const headersField = z.record(z.string(), z.string()).meta({
  id: 'CustomHeaders',
  description: 'Added to every delivery. At most 20, up to 4 KiB each and 16 KiB in total. Never returned',
  example: { 'X-Tenant': 'acme' },
});

/** Per organization; bounds the deliveries of one event. */
export const maxEndpoints = 500;
