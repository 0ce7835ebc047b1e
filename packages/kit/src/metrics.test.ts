import { describe, expect, it } from '@jest/globals';
import { createLogger } from './logger.ts';
import { type GaugeReader, startGaugeReaders } from './metrics.ts';

const log = createLogger('test', 'silent');

/** A gauge of what could be read, and whether it can be. */
function aGauge(well = true) {
  const gauge = { shows: null as number | null, well };
  const reading: GaugeReader = {
    async read() {
      if (!gauge.well) throw new Error('unavailable');
      gauge.shows = (gauge.shows ?? 0) + 1;
    },
    forget: () => void (gauge.shows = null),
  };
  return { gauge, reading };
}

describe('gauge readers', () => {
  it('show values on the leading instance only', async () => {
    const { gauge, reading } = aGauge();
    let leads = true;
    const sweep = startGaugeReaders({ name: 'test', leads: async () => leads, readings: [reading], log });
    await sweep.runNow();
    expect(gauge.shows).toBe(1);
    leads = false;
    await sweep.runNow();
    expect(gauge.shows).toBeNull();
    await sweep.stop();
  });

  it('show no values while reading fails', async () => {
    const { gauge, reading } = aGauge();
    const sweep = startGaugeReaders({ name: 'test', leads: async () => true, readings: [reading], log });
    await sweep.runNow();
    gauge.well = false;
    await sweep.runNow();
    expect(gauge.shows).toBeNull();
    await sweep.stop();
  });
});
