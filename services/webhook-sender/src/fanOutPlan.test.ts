import type { ActiveEndpoint, EventToFanOut, Receivers } from '@holdfast/db/webhooks/fanOut';
import { describe, expect, it } from '@jest/globals';
import { inPortions, planFanOut } from './fanOutPlan.ts';

const event = {
  id: 'evt_1',
  type: 'execution.completed',
  organizationId: 'org_1',
  model: 'vendor/a',
  webhookUrl: 'https://example.com/own',
  webhookDialect: null,
  body: '{}',
  traceparent: null,
} as unknown as EventToFanOut;
const endpoint = { id: 'we_1', events: ['execution.*'], models: [] as string[] } as ActiveEndpoint;
const receivers = { endpoints: [endpoint], secrets: {} } as Receivers;

describe('the plan of a fan-out', () => {
  it('has the subscribed endpoints, and the URL of the execution for terminal events only', () => {
    const events = [event, { ...event, id: 'evt_2', type: 'execution.started' } as EventToFanOut];
    const [ended, started] = planFanOut(events, new Map([['org_1', receivers]]));
    expect(ended?.receivers.map(({ endpointId }) => endpointId)).toEqual(['we_1', null]);
    expect(started?.receivers.map(({ endpointId }) => endpointId)).toEqual(['we_1']);
  });

  it.each([
    [
      ['start', 'completed'],
      ['evt_1', 'evt_2'],
    ],
    [['start'], ['evt_2']],
    [['completed'], ['evt_1']],
    [[], []],
  ])('has the URL of an execution of a compatible API for the events that it wants: %j', (wanted, sent) => {
    const own = { ...event, webhookDialect: { name: 'replicate', events: wanted } } as EventToFanOut;
    const events = [own, { ...own, id: 'evt_2', type: 'execution.started' } as EventToFanOut];
    const none = { endpoints: [], secrets: {} } as unknown as Receivers;
    const planned = planFanOut(events, new Map([['org_1', none]]));
    expect(planned.filter((one) => one.receivers.length > 0).map((one) => one.event.id)).toEqual(sent);
  });

  it('has no body for an event that no endpoint wants, and leaves out an event whose receivers are unknown', () => {
    const none = { endpoints: [], secrets: {} } as unknown as Receivers;
    const events = [
      { ...event, webhookUrl: null },
      { ...event, organizationId: 'org_2' },
    ];
    expect(planFanOut(events, new Map([['org_1', none]]))).toMatchObject([{ body: null, receivers: [] }]);
  });

  it('is written in portions of a thousand deliveries, and never divides an event', () => {
    const [planned] = planFanOut([event], new Map([['org_1', receivers]]));
    if (!planned) throw new Error('nothing was planned');
    const [receiver] = planned.receivers;
    const of = (count: number) => ({ ...planned, receivers: Array(count).fill(receiver) });
    const sizes = inPortions([of(600), of(400), of(1), of(2000), of(0)]).map((portion) =>
      portion.map((one) => one.receivers.length),
    );
    expect(sizes).toEqual([[600, 400], [1], [2000], [0]]);
  });
});
