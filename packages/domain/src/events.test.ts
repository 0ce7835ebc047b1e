import { describe, expect, it } from '@jest/globals';
import {
  deliveryBody,
  deliveryLane,
  type EventType,
  eventBody,
  eventTypes,
  subscribedTypes,
  terminalEventTypes,
} from './events.ts';
import { type Execution, statusRecord } from './execution.ts';
import { openaiVideo, type WebhookDialect } from './webhookDialect.ts';

const time = new Date('2026-01-02T03:04:05.678Z');

const completed: Execution = {
  id: 'exec_1',
  organizationId: 'org_1',
  model: 'a-model',
  status: 'COMPLETED',
  metadata: { order: 7 },
  webhookUrl: null,
  holdAmount: '0.60000000',
  estimatedCost: '0.50000000',
  cost: '0.40000000',
  output: { text: 'hi' },
  inputTokens: 3,
  outputTokens: null,
  billed: null,
  latencyMs: 1234,
  errorCode: null,
  errorMessage: null,
  createdAt: time,
  startedAt: time,
  completedAt: time,
  expiresAt: time,
  priority: 'normal',
  progress: null,
  queuePosition: null,
  logs: null,
  erasedAt: null,
  onCancel: null,
  finishReason: null,
  batchId: null,
  runTimeoutS: null,
  customId: null,
};

function body(type: Parameters<typeof eventBody>[0]['type'], execution: Execution): Record<string, unknown> {
  const event = { id: 'evt_1', type, organizationId: 'org_1', executionId: 'exec_1', createdAt: time };
  return JSON.parse(eventBody(event, execution)) as Record<string, unknown>;
}

describe('the body of an event', () => {
  const started: Execution = {
    ...completed,
    status: 'PROCESSING',
    cost: null,
    output: null,
    completedAt: null,
  };
  const ended = (status: Execution['status'], fields: Partial<Execution> = {}): Execution => ({
    ...completed,
    cost: null,
    output: null,
    inputTokens: null,
    latencyMs: null,
    status,
    ...fields,
  });
  const failure = { errorCode: 'GENERATION_FAILED', errorMessage: 'no' } as const;
  const afterwards: Record<EventType, Execution> = {
    'execution.started': started,
    'execution.completed': completed,
    'execution.failed': ended('FAILED', failure),
    'execution.cancelled': ended('CANCELLED'),
    'execution.expired': ended('EXPIRED', { errorCode: 'GENERATION_TIMEOUT', errorMessage: 'late' }),
  };

  it.each(eventTypes)('%s carries the status record of its execution, field by field', (type) => {
    const execution = afterwards[type];
    expect(body(type, execution).data).toEqual(JSON.parse(JSON.stringify(statusRecord(execution))));
  });

  it('of a completed execution carries result, usage, latency and cost', () => {
    expect(body('execution.completed', completed)).toMatchObject({
      id: 'evt_1',
      type: 'execution.completed',
      event_type: 'execution.completed',
      timestamp: '2026-01-02T03:04:05.678Z',
      version: '1.0',
      organization_id: 'org_1',
      execution_id: 'exec_1',
      data: {
        status: 'COMPLETED',
        priority: 'normal',
        progress: 1,
        cost: '0.40',
        result: { text: 'hi' },
        usage: { input_tokens: 3, output_tokens: 0 },
        latency_ms: 1234,
        metadata: { order: 7 },
      },
    });
  });

  it('of a start describes the start, even if the execution has ended meanwhile', () => {
    const { data } = body('execution.started', { ...completed, progress: 0.5, queuePosition: 3 });
    expect(data).toMatchObject({ status: 'PROCESSING', cost: null, error: null, completed_at: null });
    expect(data).toMatchObject({ progress: null, queue_position: null });
    expect(data).not.toHaveProperty('result');
  });

  it('of a failure carries the normalized error, and no result', () => {
    const failed: Execution = {
      ...completed,
      status: 'FAILED',
      cost: null,
      output: null,
      errorCode: 'MODEL_OVERLOADED',
      errorMessage: 'Busy.',
    };
    const { data } = body('execution.failed', failed);
    expect(data).toMatchObject({ error: { code: 'MODEL_OVERLOADED', message: 'Busy.', retryable: true } });
    expect(data).not.toHaveProperty('result');
  });

  it('of a failure carries the progress of the run, and never its log', () => {
    const failed: Execution = {
      ...completed,
      status: 'FAILED',
      progress: 0.4,
      queuePosition: 2,
      logs: 'a line',
    };
    const { data } = body('execution.failed', failed);
    expect(data).toMatchObject({ progress: 0.4, queue_position: null });
    expect(data).not.toHaveProperty('logs');
  });
});

describe('the lanes of webhook_urls', () => {
  const laneOf = (url: string, organizationId = 'org_1') =>
    deliveryLane({ endpointId: null, organizationId, url });
  const lanesOf = (organizationId: string) =>
    new Set(Array.from({ length: 2000 }, (_, n) => laneOf(`https://r${n}.example.com/`, organizationId)));

  it('are 64 for each organization, whatever origins its clients choose', () => {
    expect([lanesOf('org_1').size, new Set([...lanesOf('org_1'), ...lanesOf('org_2')]).size]).toEqual([
      64, 128,
    ]);
  });

  it('are the same for all URLs of an origin', () => {
    expect(laneOf('https://example.com/a')).toBe(laneOf('HTTPS://Example.com:443/b?c'));
  });
});

describe('the body of a delivery', () => {
  const delivered = (
    type: EventType,
    execution: Execution,
    endpointDialect = 'openai',
    isThin = false,
    dialect: WebhookDialect | null = null,
  ) => {
    const ids = { eventId: 'evt_1', organizationId: 'org_1', executionId: 'exec_1' };
    const event = { ...ids, eventType: type, eventCreatedAt: time, dialect };
    return deliveryBody({ ...event, body: JSON.stringify(body(type, execution)), isThin, endpointDialect });
  };

  it.each<[EventType, Partial<Execution>, string]>([
    ['execution.completed', {}, 'response.completed'],
    ['execution.completed', { finishReason: 'length' }, 'response.incomplete'],
    ['execution.failed', { status: 'FAILED' }, 'response.failed'],
    ['execution.expired', { status: 'EXPIRED' }, 'response.failed'],
    ['execution.cancelled', { status: 'CANCELLED' }, 'response.cancelled'],
  ])("of %s %j in OpenAI's dialect is %s", (type, fields, name) => {
    expect(JSON.parse(delivered(type, { ...completed, ...fields }))).toEqual({
      object: 'event',
      id: 'evt_1',
      type: name,
      created_at: 1767323045,
      data: { id: 'resp_1' },
    });
  });

  it.each(terminalEventTypes)("of %s of a video in OpenAI's dialect has a name of videos", (type) => {
    expect(JSON.parse(delivered(type, completed, 'openai', true, openaiVideo))).toMatchObject({
      type: type === 'execution.completed' ? 'video.completed' : 'video.failed',
      data: { id: 'video_1' },
    });
  });

  it("of a batch in OpenAI's dialect has its id alone", () => {
    const own = JSON.stringify({ data: { id: 'batch_1', status: 'completed' } });
    const ids = { eventId: 'evt_1', organizationId: 'org_1', executionId: null, eventCreatedAt: time };
    const event = { ...ids, eventType: 'batch.completed', body: own, isThin: true };
    const sent: unknown = JSON.parse(deliveryBody({ ...event, endpointDialect: 'openai' }));
    expect(sent).toMatchObject({ type: 'batch.completed', data: { id: 'batch_1' } });
    expect(deliveryBody({ ...event, endpointDialect: null })).toBe(own);
    const refused = {
      ...event,
      eventType: 'batch.cancelled',
      body: JSON.stringify({ data: { reason: 'input_errors' } }),
    };
    expect(deliveryBody({ ...refused, endpointDialect: 'openai' })).toContain('batch.failed');
  });

  it("is the event's own in Holdfast's dialect, and in one that only a newer version knows", () => {
    const own = JSON.stringify(body('execution.completed', completed));
    for (const dialect of ['holdfast', 'newer'])
      expect(delivered('execution.completed', completed, dialect)).toBe(own);
    expect(delivered('execution.completed', completed, 'holdfast', true)).not.toBe(own);
  });

  it('is made only of events that the dialect has a name for', () => {
    const openai = { events: [], dialect: 'openai' };
    expect(subscribedTypes(openai)).toEqual(terminalEventTypes);
    expect(subscribedTypes({ ...openai, events: ['endpoint.*'] })).toEqual([]);
    const ofBatches = subscribedTypes({ ...openai, events: ['batch.*'] });
    expect(ofBatches).toEqual(['batch.completed', 'batch.cancelled', 'batch.expired']);
  });
});
