import { describe, expect, it } from '@jest/globals';
import { baseConfig } from './config.ts';
import { readRedisUrl } from './redisAddress.ts';

describe('readRedisUrl', () => {
  it('reads one server', () => {
    expect(readRedisUrl('rediss://u%40x:p%2Fw@cache.example:7000/3?cafile=%2Fetc%2Fca.pem')).toEqual({
      kind: 'server',
      nodes: [{ host: 'cache.example', port: 7000 }],
      isEncrypted: true,
      caFile: '/etc/ca.pem',
      username: 'u@x',
      password: 'p/w',
      sentinelPassword: null,
      master: null,
      database: 3,
    });
  });

  it('reads sentinels, and what they call the master', () => {
    const url = 'redis+sentinel://:a:b@s1,s2:1,[::1]:2/main/4?sentinelpassword=c';
    expect(readRedisUrl(url)).toMatchObject({
      kind: 'sentinel',
      nodes: [
        { host: 's1', port: 26_379 },
        { host: 's2', port: 1 },
        { host: '::1', port: 2 },
      ],
      isEncrypted: false,
      username: null,
      password: 'a:b',
      sentinelPassword: 'c',
      master: 'main',
      database: 4,
    });
  });

  it('reads some nodes of a cluster', () => {
    expect(readRedisUrl('rediss+cluster://n1,n2:7001')).toMatchObject({
      kind: 'cluster',
      nodes: [
        { host: 'n1', port: 6379 },
        { host: 'n2', port: 7001 },
      ],
      isEncrypted: true,
      database: 0,
    });
  });

  it.each([
    'redis+sentinel://:secret@s1,s2',
    'redis+cluster://:secret@n1/1',
    'redis+cluster://:secret@n1,:1',
    'redis+raft://:secret@n1',
    'redis+cluster://:secret@',
  ])('is refused at the start, without its password: %s', (url) => {
    const problem = baseConfig.REDIS_URL.safeParse(url).error?.issues[0]?.message ?? 'it was taken';
    expect(problem).toMatch(/^is no URL like redis:/);
    expect(problem).not.toMatch(/secret/);
  });
});
