import type { Database } from '@holdfast/db/client';
import { getTestTarget } from '@holdfast/db/webhooks/endpoints';
import { bodyInDialect } from '@holdfast/domain/endpointDialects';
import { newId } from '@holdfast/domain/ids';
import type { TestCallResult, TestEvent } from '@holdfast/queues/definitions';
import type { Send } from './message.ts';
import { errorOf } from './verdict.ts';

type TestCall = {
  organizationId: string;
  endpointId: string;
  traceparent: string | null;
  event?: TestEvent | undefined;
};

export async function makeTestCall(
  { db, send }: { db: Database; send: Send },
  call: TestCall,
): Promise<TestCallResult> {
  const target = await getTestTarget(db, call.organizationId, call.endpointId);
  if (!target)
    return { success: false, status_code: 0, response_time_ms: 0, error: 'the endpoint was deleted' };
  const eventId = newId('evt');
  const body = testEventBody(eventId, call, target.endpointDialect);
  const result = await send({ ...target, eventId, body, traceparent: call.traceparent });
  const status = result.ok ? result.status : 0;
  const success = status >= 200 && status <= 299;
  const response = { success, status_code: status, response_time_ms: result.durationMs };
  return success ? response : { ...response, error: errorOf(result) };
}

const plainTest: TestEvent = {
  type: 'webhook.test',
  about: {},
  data: { message: 'This is a test event from Holdfast.' },
};

/** An event that looks like a real one says that it is none. */
function testEventBody(
  eventId: string,
  { organizationId, event = plainTest }: TestCall,
  dialect: string,
): string {
  const { type, about, data } = event;
  const now = new Date();
  const executionId = about['execution_id'] ?? null;
  const translated = bodyInDialect(dialect, {
    eventId,
    eventType: type,
    eventCreatedAt: now,
    executionId,
    data,
  });
  const own = { id: eventId, type, event_type: type, timestamp: now.toISOString(), version: '1.0' };
  const body =
    translated === null
      ? { ...own, organization_id: organizationId, ...about, data }
      : (JSON.parse(translated) as object);
  return JSON.stringify(event === plainTest ? body : { ...body, test: true });
}
