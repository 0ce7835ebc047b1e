import { describe, expect, it } from '@jest/globals';
import { type CpuReading, cpuPerExecution } from './cpu.ts';

type Entry = [string, { names: string[]; cpuMs: number }];

const gateway = (cpuMs: number): Entry => ['1', { names: ['api-gateway'], cpuMs }];
const backend = (pid: string, cpuMs: number): Entry => [
  pid,
  { names: ['postgres', 'postgres: gateway'], cpuMs },
];
const load = (cpuMs: number): Entry => ['thread 9', { names: ['bench: load'], cpuMs }];

describe('the CPU of an execution', () => {
  it('is what each process took meanwhile; parts are not counted twice', () => {
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

  it('knows nothing of a process that ended meanwhile', () => {
    expect(cpuPerExecution(new Map([backend('2', 90_000)]), new Map([gateway(10)]), 1)).toEqual({
      total: 10,
      'api-gateway': 10,
    });
  });
});
