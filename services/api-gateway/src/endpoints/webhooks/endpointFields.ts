import { subscribableEvents } from '@holdfast/domain/eventTypes';
import { limits } from '@holdfast/domain/limits';
import { modelSlug } from '@holdfast/domain/modelDefinition';
import { z } from 'zod';

/** What a client says of an endpoint, at creation and later. */
export const descriptionField = z
  .string()
  .max(1000)
  .meta({ description: 'A label for people', example: 'Production' });

export const eventsField = z
  .array(z.enum(subscribableEvents))
  .max(100)
  .meta({
    description:
      'Event types to be sent; empty: all of executions (`execution.*`). Those that tell of your other endpoints ' +
      '(`endpoint.failing`, `endpoint.deactivated`, `endpoint.recovered`) are sent to endpoints that name them, or ' +
      '`endpoint.*`, alone',
    example: ['execution.completed', 'execution.failed'],
  });

export const modelsField = z
  .array(modelSlug)
  .max(100)
  .meta({
    description:
      'Slugs of the models whose executions are told of; empty: all, or those of the API key, when it has `models`',
    example: ['sandbox-image'],
  });

export const payloadField = z.enum(['full', 'thin']).meta({
  description:
    '`full`: the execution with its result. `thin`: its id and status alone, for receivers that read the rest themselves',
  example: 'full',
});

export const maxInFlightField = z
  .int()
  .min(1)
  .max(256)
  .meta({ description: 'Requests that are open to it at once', example: limits.webhookMaxInFlight });

export const maxPerSecondField = z
  .int()
  .min(1)
  .max(10_000)
  .nullable()
  .meta({ description: 'Requests that are begun in a second; null: no limit', example: null });

export const headersField = z.record(z.string(), z.string()).meta({
  description: 'Added to every delivery; at most 20, each up to 4 KiB, all up to 16 KiB. Never shown again',
  example: { 'X-Tenant': 'acme' },
});

/** An organization's endpoints; a bound on what one event can set off. */
export const maxEndpoints = 500;
