import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type LocalHoldfast, startLocalHoldfast } from '../../stack/localHoldfast.ts';
import { type Case, expected, isAlone, observe, readCases } from './behaviour.ts';
import type { Driver } from './drivers.ts';

/** Each case mostly waits. */
const maxConcurrent = 8;

/** Runs the cases of `sdk/behaviour.yaml` with each SDK, whose driver `start` starts in a new folder. */
export function describeBehaviour(
  sdks: Record<string, (folder: string) => Promise<Driver>>,
  isFor: (name: string, one: Case) => boolean = () => true,
): void {
  let home: string;
  let holdfast: LocalHoldfast;

  beforeAll(async () => {
    home = mkdtempSync(join(tmpdir(), 'holdfast-sdk-'));
    holdfast = await startLocalHoldfast(home);
  }, 180_000);

  afterAll(async () => {
    await holdfast.stop();
    rmSync(home, { recursive: true, force: true });
  }, 30_000);

  describe.each(Object.entries(sdks))('the SDK of %s:', (name, start) => {
    const cases = readCases().filter((one) => isFor(name, one));
    let driver: Driver;
    const observed = new Map<string, ReturnType<typeof observe>>();

    beforeAll(async () => {
      driver = await start(join(home, name));
      const running = new Set<Promise<unknown>>();
      for (const one of cases.filter((each) => !isAlone(each))) {
        const observing = observe(one, driver, holdfast);
        observed.set(one.name, observing);
        const done = observing.catch(() => undefined).finally(() => running.delete(done));
        running.add(done);
        if (running.size >= maxConcurrent) await Promise.race(running);
      }
      await Promise.all(running);
    }, 600_000);

    afterAll(async () => {
      await driver.close();
    });

    it.each(cases.map((one) => [one.name, one] as const))('%s', async (_name, one) => {
      expect(await (observed.get(one.name) ?? observe(one, driver, holdfast))).toEqual(expected(one));
    });
  });
}
