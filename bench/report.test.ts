import { describe, expect, it } from '@jest/globals';
import { cpuLine } from './report.ts';

describe('the report', () => {
  it('names the CPU of an execution at each rate that was measured', () => {
    expect(cpuLine({ rate_50_cpu_ms: 9.1, system_cpu_ms_per_execution: 0.62, hot_row_tps: 3000 })).toBe(
      'CPU per execution in ms, without load and receiver: 9.1 at 50/s, 0.62 at as many as possible',
    );
    expect(cpuLine({ hot_row_tps: 3000 })).toBeNull();
  });
});
