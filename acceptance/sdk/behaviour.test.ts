import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type LocalHoldfast, startLocalHoldfast } from '../stack/localHoldfast.ts';
import { expected, isAlone, observe, readCases } from './behaviour.ts';
import { type Driver, startDriver } from './drivers.ts';
import { copyFromSdk, installTypeScriptSdk, machineEnvironment } from './installed.ts';

const cases = readCases();
/** Each case mostly waits. */
const maxConcurrent = 8;

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

/** SDK -> starts its driver in a new folder. */
const sdks: Record<string, (folder: string) => Promise<Driver>> = {
  async TypeScript(folder) {
    await installTypeScriptSdk(folder, { type: 'module' });
    return startDriver('node', [copyFromSdk('behaviour.mjs', folder)], {
      cwd: folder,
      env: machineEnvironment(),
    });
  },
};

describe.each(Object.entries(sdks))('the SDK of %s:', (name, start) => {
  let driver: Driver;
  const observed = new Map<string, ReturnType<typeof observe>>();

  beforeAll(async () => {
    const folder = join(home, name);
    driver = await start(folder);
    const together = cases.filter((one) => !isAlone(one));
    const running = new Set<Promise<unknown>>();
    for (const one of together) {
      const observing = observe(one, driver, holdfast);
      observed.set(one.name, observing);
      const done = observing.catch(() => undefined).finally(() => running.delete(done));
      running.add(done);
      if (running.size >= maxConcurrent) await Promise.race(running);
    }
    await Promise.all(running);
  }, 180_000);

  afterAll(async () => {
    await driver.close();
  });

  it.each(cases.map((one) => [one.name, one] as const))('%s', async (_name, one) => {
    expect(await (observed.get(one.name) ?? observe(one, driver, holdfast))).toEqual(expected(one));
  });
});
