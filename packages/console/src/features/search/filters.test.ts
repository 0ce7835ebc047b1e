import { describe, expect, it } from '@jest/globals';
import {
  deliveryQuery,
  executionQuery,
  fieldTime,
  filtersOf,
  moneyQuery,
  moneySearchOf,
  recoveryBody,
  timesOf,
} from './filters.ts';

describe('the filters of an address', () => {
  it('are its known texts, without what is empty, unknown or no text', () => {
    const search = { q: 'a', status: '', model: ['a', 'b'], provider: 7, colour: 'red', error: 'TIMEOUT' };
    expect(filtersOf(search)).toEqual({ q: 'a', error: 'TIMEOUT' });
  });

  it('have times, or say which texts are none', () => {
    expect(timesOf({ from: '2026-11-26T10:00Z', to: 'garbage' })).toEqual({
      from: '2026-11-26T10:00:00.000Z',
      wrong: ['garbage'],
    });
    expect(timesOf({})).toEqual({ wrong: [] });
  });

  it('keep the minute of a time in a field', () => {
    const at = '2026-11-26T10:42:31.000Z';
    expect(timesOf({ from: fieldTime(at) }).from).toBe('2026-11-26T10:42:00.000Z');
  });
});

describe('a search for executions', () => {
  it.each([
    ['exec_01a2-', { id_prefix: 'exec_01a2-' }],
    ['order = A-17', { metadata_name: 'order', metadata_value: 'A-17' }],
    ['note=a=b', { metadata_name: 'note', metadata_value: 'a=b' }],
    ['order-17', { idempotency_key: 'order-17' }],
    ['b3JkZXI=', { idempotency_key: 'b3JkZXI=' }],
    ['b3JkZQ==', { idempotency_key: 'b3JkZQ==' }],
    ['exec_Z', { idempotency_key: 'exec_Z' }],
  ])('for %s asks the API for %j', (q, asked) => {
    expect(executionQuery({ q })).toMatchObject(asked);
  });

  it('asks by the names of the API', () => {
    const asked = executionQuery({ organization: 'org_1', error: 'TIMEOUT', to: '2026-11-26T10:00:00Z' });
    expect(asked).toMatchObject({
      organization_id: 'org_1',
      error_code: 'TIMEOUT',
      created_before: '2026-11-26T10:00:00.000Z',
    });
    expect(asked).not.toHaveProperty('idempotency_key');
  });
});

describe('the page of money', () => {
  const nowMs = Date.parse('2026-11-28T10:30:00Z');

  it.each([
    [{}, { group_by: 'model', from: '2026-11-27T10:30:00.000Z' }],
    [
      { range: '7d', by: 'time', to: '2026-11-01T00:00Z' },
      { group_by: 'time', from: '2026-11-21T10:30:00.000Z' },
    ],
    [
      { range: 'year', by: 'colour' },
      { group_by: 'model', from: '2026-11-27T10:30:00.000Z' },
    ],
    [
      { range: 'custom', from: '2026-11-01T00:00Z' },
      { group_by: 'model', from: '2026-11-01T00:00:00.000Z' },
    ],
    [
      { range: 'custom', to: 'soon', organization: 'org_1' },
      { group_by: 'model', organization_id: 'org_1' },
    ],
  ])('asks for %j with %j', (search, asked) => {
    const { to, ...query } = moneyQuery(moneySearchOf(search), nowMs);
    expect(to).toBe(undefined);
    expect(JSON.parse(JSON.stringify(query))).toEqual(asked);
  });
});

describe('a search for deliveries', () => {
  it.each([
    ['yes', 'true'],
    ['no', 'false'],
    ['maybe', undefined],
  ])('that were attempted: %s asks for %s', (attempted, asked) => {
    expect(deliveryQuery({ attempted }).attempted).toBe(asked);
  });
});

describe('a recovery', () => {
  const since = '2026-11-26T10:00:00.000Z';

  it('begins when the filters do, or else when it was asked to', () => {
    expect(recoveryBody({ endpoint: 'wh_1' }, since)).toEqual({ since, endpoint_id: 'wh_1' });
    const from = '2026-11-20T00:00:00.000Z';
    expect(recoveryBody({ from, to: since, event: 'execution.failed' }, since)).toEqual({
      since: from,
      until: since,
      event_type: 'execution.failed',
    });
  });
});
