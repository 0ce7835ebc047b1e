import { setTimeout as delay } from 'node:timers/promises';
import type { LocalState } from '@holdfast/local/launch/stateFile';
import { makeFaults } from './faults.ts';
import type { Flags } from './flags.ts';
import type { SoakLoad } from './load.ts';
import type { Fault } from './plan.ts';
import type { SoakReceiver } from './receiver.ts';
import { minuteLine } from './report.ts';
import { type Sample, type Sampled, takeSample } from './sample.ts';

export type World = Sampled & {
  flags: Flags;
  state: LocalState;
  load: SoakLoad;
  steady: SoakReceiver;
  flaky: SoakReceiver;
  say(line: string): void;
};

/** `faults`: those that could be made. */
export type Laboured = { samples: Sample[]; faults: Fault[] };

/** Load, planned faults, and a sample every minute; resolves when every request has its response. */
export async function underLoad(world: World, ratePerS: number, plan: readonly Fault[]): Promise<Laboured> {
  const { load, say } = world;
  const over = new AbortController();
  const working = load.steady(ratePerS, over.signal);
  const breaking = makeFaults(world, plan, over.signal);
  const samples = await sampleMinutes(world);
  over.abort();
  const [faults] = await Promise.all([breaking, working]);
  say('nothing more is created; waiting for rest');
  await load.idle();
  return { samples, faults };
}

async function sampleMinutes(world: World): Promise<Sample[]> {
  const startMs = performance.now();
  const samples: Sample[] = [];
  for (let minute = 0; minute <= world.flags.minutes; minute++) {
    await delay(Math.max(0, startMs + minute * 60_000 - performance.now()));
    const atS = Math.round((performance.now() - startMs) / 1000);
    const sample = { atS, executions: world.load.accepted.size(), values: await takeSample(world) };
    samples.push(sample);
    world.say(minuteLine(sample));
  }
  return samples;
}
