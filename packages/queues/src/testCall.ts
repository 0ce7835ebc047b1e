import { z } from 'zod';
import { defineQueue } from './queue.ts';

/** Spec: what `POST /v1/webhooks/endpoints/{id}/test` answers. */
export const testCallResult = z.object({
  success: z.boolean(),
  status_code: z.int(),
  response_time_ms: z.int(),
  /** Beyond the contract. */
  error: z.string().optional().describe('Why it did not succeed, when it did not'),
});
export type TestCallResult = z.infer<typeof testCallResult>;

/** A test event to be sent while the client waits: gateway -> webhook-sender, which returns a TestCallResult. */
export const testCallQueue = defineQueue({
  name: 'test-call',
  payload: z.object({
    requestId: z.string(),
    endpointId: z.string(),
    organizationId: z.string(),
    /** Passed on to the endpoint; a gateway of the version before names none. */
    traceparent: z.string().nullish(),
  }),
  jobId: ({ requestId }) => requestId,
  tries: 1,
});
