import { describe, expect, it } from '@jest/globals';
import { processName, readTimes } from './processTimes.ts';

describe('the times of processes', () => {
  it('are user and system time in milliseconds, whatever the name', () => {
    const stat = '42 (a) b (c) S 7 42 42 0 -1 4194560 1 2 3 4 150 25 3 4 20 0 1 0 5 6 7';
    expect(readTimes(stat)).toEqual({ name: 'a) b (c', parent: 7, cpuMs: 1750, endedMs: 70 });
    expect(readTimes('')).toBeNull();
  });

  it('go to the service, or to Postgres with whom it works for', () => {
    expect(processName('node\0/x/services/api-gateway/src/main.ts\0')).toEqual({ name: 'api-gateway' });
    expect(processName('postgres: holdfast_webhook_sender holdfast 127.0.0.1(4) idle')).toEqual({
      name: 'postgres',
      part: 'webhook-sender',
    });
    expect(processName('postgres: holdfast holdfast 127.0.0.1(4) idle')).toMatchObject({ part: 'owner' });
    expect(processName('postgres: walwriter ')).toMatchObject({ name: 'postgres', part: 'itself' });
    expect(processName('/usr/bin/redis-server 127.0.0.1:6379')).toEqual({ name: 'redis' });
    expect(processName('pgbench')).toEqual({ name: 'other' });
  });
});
