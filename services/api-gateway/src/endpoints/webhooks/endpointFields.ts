import { eventTypes } from '@holdfast/domain/eventTypes';
import { z } from 'zod';

/** What a client says of an endpoint, at creation and later. */
export const descriptionField = z
  .string()
  .max(1000)
  .meta({ description: 'A label for people', example: 'Production' });

export const eventsField = z.array(z.enum(eventTypes)).meta({
  description:
    'Event types to be sent; empty: all but `execution.expired`, which is sent to those that name it',
  example: ['execution.completed', 'execution.failed'],
});

/** An organization's endpoints; a bound on what one event can set off. */
export const maxEndpoints = 500;
