import { describe, expect, it } from '@jest/globals';
import { type AttemptRecord, endpointVerdicts } from './attempts.ts';

const record = (fields: Partial<AttemptRecord>): AttemptRecord => ({
  id: 'dlv_1',
  attempts: 1,
  number: 1,
  leaseUntil: new Date(0),
  startedAt: new Date(0),
  inFlightLimit: null,
  endpointId: 'wh_1',
  isProbe: false,
  ok: false,
  isGone: false,
  countsForEndpoint: true,
  durationMs: 1,
  statusCode: 500,
  error: 'responded with 500',
  stage: 'response',
  response: null,
  nextDelayS: 30,
  retryAfterS: 0,
  ...fields,
});
const failure = record({});
const success = record({ ok: true, statusCode: 200, error: null });

describe('the result of a batch of attempts for an endpoint', () => {
  it('is one verdict per endpoint, and none for a webhook_url', () => {
    const records = [failure, record({ endpointId: 'wh_2' }), failure, record({ endpointId: null })];
    expect(endpointVerdicts(records).map(({ endpointId }) => endpointId)).toEqual(['wh_1', 'wh_2']);
  });

  it('ignores failures before a success', () => {
    const [verdict] = endpointVerdicts([record({ isProbe: true, retryAfterS: 9 }), success]);
    expect(verdict).toMatchObject({ succeeded: true, failed: false, probeFailures: 0, retryAfterS: 0 });
  });

  it('counts a failure after the last success', () => {
    expect(endpointVerdicts([success, failure])).toMatchObject([{ succeeded: true, failed: true }]);
  });

  it('counts failed probes, and no requests that were in flight beside them', () => {
    expect(endpointVerdicts([failure, failure, record({ isProbe: true })])).toMatchObject([
      { succeeded: false, failed: true, probeFailures: 1 },
    ]);
  });

  it('ignores attempts that failed on our side', () => {
    expect(endpointVerdicts([record({ countsForEndpoint: false })])).toEqual([]);
  });
});
