import { cpus } from 'node:os';
import { describe, expect, it } from '@jest/globals';
import {
  type CpuReading,
  cpuPerExecution,
  processName,
  shareOfOthers,
  systemCpu,
  warnOfOthers,
} from './cpu.ts';

type Entry = [string, { names: string[]; cpuMs: number }];

const gateway = (cpuMs: number): Entry => ['1', { names: ['api-gateway'], cpuMs }];
const backend = (pid: string, cpuMs: number): Entry => [
  pid,
  { names: ['postgres', 'postgres: gateway'], cpuMs },
];
const load = (cpuMs: number): Entry => ['thread 9', { names: ['bench: load'], cpuMs }];

describe('the CPU of an execution', () => {
  it('is the time of each process in between, with parts counted once', () => {
    const before: CpuReading = new Map([gateway(1000), backend('2', 500), load(70)]);
    const after: CpuReading = new Map([gateway(1200), backend('2', 600), backend('3', 50), load(90)]);
    expect(cpuPerExecution(before, after, 100)).toEqual({
      total: 3.5,
      'api-gateway': 2,
      postgres: 1.5,
      'postgres: gateway': 1.5,
      'bench: load': 0.2,
    });
  });

  it('excludes a process that ended in between', () => {
    expect(cpuPerExecution(new Map([backend('2', 90_000)]), new Map([gateway(10)]), 1)).toEqual({
      total: 10,
      'api-gateway': 10,
    });
  });

  it('excludes load and receivers from the CPU of the system, of which PostgreSQL has a share', () => {
    const times = { total: 3, bench: 1, 'bench: load': 0.7, postgres: 0.5, 'api-gateway': 1.5 };
    expect(systemCpu(times)).toEqual({ ms: 2, postgresShare: 0.25 });
  });

  it('belongs to a service, and that of a PostgreSQL backend also to the service it serves', () => {
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

describe('the CPU of other processes', () => {
  it('is the busy time of all cores that was not ours', () => {
    const cores = cpus().length;
    expect(shareOfOthers({ busyMs: 900 * cores, oursMs: 650 * cores, elapsedMs: 1000 })).toBe(0.25);
    expect(shareOfOthers({ busyMs: 10, oursMs: 20, elapsedMs: 1000 })).toBe(0);
  });

  it('is reported where it was more than a tenth', () => {
    expect(warnOfOthers({ creates: 0.1, lone: 0 })).toBeNull();
    expect(warnOfOthers({ creates: 0.42, lone: 0 })).toContain('creates 42 %');
  });
});
