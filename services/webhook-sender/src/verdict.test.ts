import { describe, expect, it } from '@jest/globals';
import { judge } from './verdict.ts';

const delivery = { attempts: 1, endpointId: 'wh_1' };
const failed = { ok: false, stage: 'connect', message: 'the proxy refused: 407', durationMs: 1 } as const;

describe('judge', () => {
  it("a failure of our own proxy is tried again, and is not the endpoint's", () => {
    const verdict = judge({ ...failed, isOwnFault: true }, delivery, [0, 30]);
    expect(verdict).toMatchObject({ ok: false, countsForEndpoint: false, stage: 'connect' });
    expect(verdict.nextDelayS).not.toBeNull();
  });

  it("any other failure to connect is the endpoint's", () => {
    expect(judge(failed, delivery, [0, 30])).toMatchObject({ ok: false, countsForEndpoint: true });
  });

  it.each([
    ['connect', 'connect ECONNREFUSED', 'connect ECONNREFUSED'],
    ['connect', 'other side closed', 'connect: other side closed'],
    ['dns', 'example.com has no address', 'dns: example.com has no address'],
  ] as const)('names the stage %s once: %s', (stage, message, error) => {
    expect(judge({ ...failed, stage, message }, delivery, [0, 30]).error).toBe(error);
  });
});
