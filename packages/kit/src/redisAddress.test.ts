import { describe, expect, it } from '@jest/globals';
import { baseConfig } from './config.ts';
import { readRedisUrl, redisUrlProblems } from './redisAddress.ts';

describe('readRedisUrl', () => {
  it('reads one server', () => {
    expect(readRedisUrl('rediss://u%40x:p%2Fw@cache.example:7000/3?cafile=%2Fetc%2Fca.pem')).toEqual({
      kind: 'server',
      nodes: [{ host: 'cache.example', port: 7000 }],
      isEncrypted: true,
      caFile: '/etc/ca.pem',
      certFile: null,
      keyFile: null,
      username: 'u@x',
      password: 'p/w',
      sentinelPassword: null,
      master: null,
      database: 3,
    });
  });

  it('reads sentinels, and their name of the master', () => {
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

  it('reads the nodes of a cluster', () => {
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

  it.each(['redis://cache.example', 'redis://:p@ss@10.0.0.1:1/2?family=6', 'rediss://[::1]:7000'])(
    'passes %s on to the driver of a single server',
    (url) => {
      expect(redisUrlProblems(url)).toEqual([]);
    },
  );

  it.each([
    'redisrubbish:secret',
    'redis://:secret@n1:99999/0',
    'redis://:secret@n1:6379/zero',
    'redis://:secret%zz@n1:6379',
    'redis+cluster://:secret@n1:99999',
    'redis+sentinel://:secret@s1,s2',
    'redis+cluster://:secret@n1/1',
    'redis+cluster://:secret@n1,:1',
    'redis+raft://:secret@n1',
    'redis+cluster://:secret@',
  ])('refuses %s at the start, without its password in the message', (url) => {
    const problem = baseConfig.REDIS_URL.safeParse(url).error?.issues[0]?.message ?? 'it was taken';
    expect(problem).toMatch(/^is not a URL like redis:/);
    expect(problem).not.toMatch(/secret/);
  });

  it.each([
    ['redis://:secret@n1?cafile=/no/ca.pem', [/^cafile is for rediss/, /^cafile \/no\/ca.pem can't be read/]],
    ['rediss+cluster://:secret@n1?cafile=/no/ca.pem', [/^cafile \/no\/ca.pem can't be read \(ENOENT\)$/]],
    [`rediss://:secret@n1?cafile=${import.meta.filename}`, [/ is not a PEM file$/]],
    ['rediss://:secret@n1?keyfile=/no/key.pem', [/go together/, /^keyfile /]],
    ['redis+cluster://:secret@n1?cafle=/secret', [/^has a parameter that is none of cafile, /]],
    ['redis+cluster://:secret@n1?sentinelpassword=secret', [/^has a parameter that is none of/]],
  ])('explains at the start what is wrong with %s', (url, expected) => {
    const problems = redisUrlProblems(url);
    expect(problems).toEqual(expected.map((one) => expect.stringMatching(one)));
    expect(problems.join()).not.toMatch(/secret/);
  });
});
