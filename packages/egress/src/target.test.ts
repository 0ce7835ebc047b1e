import { describe, expect, it, jest } from '@jest/globals';
import { createEgressPolicy } from './policy.ts';
import { targetOf } from './target.ts';

describe('targetOf', () => {
  it('asks the policy once about a URL, and each policy for itself', () => {
    const open = createEgressPolicy({ allowCidrs: [], allowHttp: true });
    const closed = createEgressPolicy({ allowCidrs: [], allowHttp: false });
    const checkUrl = jest.spyOn(open, 'checkUrl');
    const url = 'http://example.com:443/a%20b?c=d#e';
    for (let i = 0; i < 3; i++) {
      expect(targetOf(open, url)).toEqual({ origin: 'http://example.com:443', path: '/a%20b?c=d' });
    }
    expect(checkUrl).toHaveBeenCalledTimes(1);
    expect(targetOf(closed, url)).toMatchObject({ code: 'INVALID_URL' });
  });

  it('forgets the oldest URLs', () => {
    const policy = createEgressPolicy({ allowCidrs: [], allowHttp: false });
    const checkUrl = jest.spyOn(policy, 'checkUrl');
    const urls = Array.from({ length: 2049 }, (_, i) => `https://example.com/${i}`);
    for (const url of urls) targetOf(policy, url);
    targetOf(policy, 'https://example.com/2048');
    expect(checkUrl).toHaveBeenCalledTimes(2049);
    targetOf(policy, 'https://example.com/0');
    expect(checkUrl).toHaveBeenCalledTimes(2050);
  });
});
