import { describe, expect, it } from '@jest/globals';
import { planFaults } from './faultPlan.ts';

const hour = planFaults(1, 3600);

describe('the plan of faults', () => {
  it('depends on the seed only', () => {
    expect(planFaults(1, 3600)).toEqual(hour);
    expect(planFaults(2, 3600)).not.toEqual(hour);
  });

  it('leaves calm before the first fault, between two, and after the last', () => {
    const ends = [0, ...hour.map(({ atS, lastsS }) => atS + lastsS)];
    const starts = [...hour.map(({ atS }) => atS), 3600];
    const calms = starts.map((startS, nth) => startS - (ends[nth] ?? 0));
    expect(Math.min(...calms)).toBeGreaterThanOrEqual(15);
  });

  it('of an hour has every kind of fault and every target', () => {
    const kinds = new Set(hour.map(({ kind }) => kind));
    const targets = new Set(hour.map(({ target }) => target));
    expect([...kinds].toSorted()).toEqual(['busy', 'crash', 'down', 'flush', 'kill', 'pause', 'stop']);
    expect(targets.size).toBe(9);
  });

  it('repeats no kind before every other has occurred', () => {
    expect(new Set(hour.slice(0, 7).map(({ kind }) => kind)).size).toBe(7);
  });

  it('of a run that is too short has no fault', () => {
    expect(planFaults(1, 20)).toEqual([]);
  });
});
