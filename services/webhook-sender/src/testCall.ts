import type { Database } from '@holdfast/db/client';
import { getTestTarget } from '@holdfast/db/webhooks/endpoints';
import { bodyInDialect } from '@holdfast/domain/endpointDialects';
import { newId } from '@holdfast/domain/ids';
import type { TestCallResult } from '@holdfast/queues/definitions';
import type { Send } from './message.ts';
import { errorOf } from './verdict.ts';

export async function makeTestCall(
  { db, send }: { db: Database; send: Send },
  call: { organizationId: string; endpointId: string; traceparent: string | null },
): Promise<TestCallResult> {
  const target = await getTestTarget(db, call.organizationId, call.endpointId);
  if (!target)
    return { success: false, status_code: 0, response_time_ms: 0, error: 'the endpoint was deleted' };
  const eventId = newId('evt');
  const body = testEventBody(eventId, call.organizationId, target.endpointDialect);
  const result = await send({ ...target, eventId, body, traceparent: call.traceparent });
  const status = result.ok ? result.status : 0;
  const success = status >= 200 && status <= 299;
  const response = { success, status_code: status, response_time_ms: result.durationMs };
  return success ? response : { ...response, error: errorOf(result) };
}

function testEventBody(eventId: string, organizationId: string, dialect: string): string {
  const [type, now] = ['webhook.test', new Date()];
  const data = { message: 'This is a test event from Holdfast.' };
  const event = { eventId, eventType: type, eventCreatedAt: now, executionId: null, data };
  const own = { id: eventId, type, event_type: type, timestamp: now.toISOString(), version: '1.0' };
  return bodyInDialect(dialect, event) ?? JSON.stringify({ ...own, organization_id: organizationId, data });
}
