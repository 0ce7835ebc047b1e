import { describe, expect, it } from '@jest/globals';
import { type EndpointSettings, recoverLastDay, settingsIn, stateOf } from './webhooks.ts';

describe('an endpoint', () => {
  const since = '2026-11-26T10:00:00.000Z';

  it.each([
    ['active', true, null],
    ['failing', true, since],
    ['inactive', false, null],
    ['deactivated', false, since],
  ])('is %s: active %s, failing since %s', (state, isActive, failingSince) => {
    expect(stateOf({ is_active: isActive, failing_since: failingSince })).toBe(state);
  });
});

describe('a form of an endpoint', () => {
  const settings: EndpointSettings = {
    description: 'Orders',
    events: ['execution.completed'],
    models: [],
    payload: 'full',
    dialect: 'holdfast',
    max_in_flight: 16,
    max_per_second: null,
  };

  function formOf(changed: Record<string, string> = {}): FormData {
    const form = new FormData();
    const { events, max_per_second: _, ...others } = settings;
    for (const [name, value] of Object.entries({ ...others, events: events[0], ...changed }))
      form.set(name, String(value));
    return form;
  }

  it('gives only what was changed', () => {
    expect(settingsIn(formOf(), settings)).toEqual({});
    expect(settingsIn(formOf({ models: 'flux, whisper', max_per_second: '5' }), settings)).toEqual({
      models: ['flux', 'whisper'],
      max_per_second: 5,
    });
  });

  it('takes away a rate whose field is emptied', () => {
    const limited = { ...settings, max_per_second: 5 };
    expect(settingsIn(formOf({ max_per_second: '' }), limited)).toEqual({ max_per_second: null });
  });
});

describe('a recovery of the last day', () => {
  it('goes on until nothing is left, from the same time on', async () => {
    const asked: string[] = [];
    const pages = [
      { redelivered: 500, has_more: true },
      { redelivered: 3, has_more: false },
    ];
    const count = await recoverLastDay(async ({ since }) => {
      asked.push(since);
      return pages[asked.length - 1] as never;
    });
    expect(count).toBe(503);
    expect(new Set(asked).size).toBe(1);
  });
});
