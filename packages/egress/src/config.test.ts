import { parseConfig } from '@holdfast/kit/config';
import { describe, expect, it } from '@jest/globals';
import { egressConfig, egressSettings } from './config.ts';
import { createEgressPolicy } from './policy.ts';

const policyOf = (env: Record<string, string>) =>
  createEgressPolicy(egressSettings(parseConfig(egressConfig, env)));

describe('the settings of the egress policy', () => {
  it('allow nothing extra by default', () => {
    const policy = policyOf({});
    expect(policy).toMatchObject({ openings: [], proxy: null });
    expect(policy.checkUrl('http://example.com/')).not.toBeNull();
    expect(policy.checkUrl('https://example.com:9000/')).not.toBeNull();
  });

  it('refuse the host and address of PUBLIC_URL', () => {
    const message = 'must not point to this service itself';
    const policy = policyOf({ PUBLIC_URL: 'https://API.example.com./base' });
    expect(policy.checkUrl('https://api.example.com/')?.message).toBe(message);
    expect(policyOf({ PUBLIC_URL: 'http://9.9.9.9:8080' }).checkUrl('https://9.9.9.9/')?.message).toBe(
      message,
    );
  });

  it('allow PUBLIC_URL on an allowed loopback address, as in development', () => {
    const env = { PUBLIC_URL: 'http://127.0.0.1:8080', EGRESS_ALLOW_CIDRS: '127.0.0.0/8,::1/128' };
    for (const host of ['127.0.0.1', 'localhost', '[::1]']) {
      expect(policyOf(env).checkUrl(`https://${host}:3000/`)).toBeNull();
    }
  });

  it.each([
    ['http://proxy', { isTls: false, host: 'proxy', port: 80, authorization: null }],
    ['https://[::1]:3129/', { isTls: true, host: '::1', port: 3129, authorization: null }],
    ['http://u@proxy:3128', { host: 'proxy', port: 3128, authorization: `Basic ${btoa('u:')}` }],
  ])('parse EGRESS_PROXY_URL=%s', (url, proxy) => {
    expect(policyOf({ EGRESS_PROXY_URL: url }).proxy).toMatchObject({ ...proxy, resolves: false });
  });

  it.each(['proxy:3128', 'socks5://u:secret@proxy', 'http://u:secret@proxy/path', 'http://u:sec%ret@proxy'])(
    'refuse EGRESS_PROXY_URL=%s without repeating it',
    (url) => {
      expect(() => parseConfig(egressConfig, { EGRESS_PROXY_URL: url })).toThrow(
        /EGRESS_PROXY_URL: (?!.*sec)/,
      );
    },
  );

  it('ignore EGRESS_PROXY_RESOLVES without a proxy', () => {
    expect(policyOf({ EGRESS_PROXY_RESOLVES: 'true' }).openings).toEqual([]);
    const both = {
      EGRESS_PROXY_RESOLVES: 'true',
      EGRESS_PROXY_URL: 'http://proxy',
      EGRESS_HIGH_PORTS: 'true',
    };
    expect(policyOf(both).openings).toHaveLength(2);
  });
});
