import { seededRandom } from './random.ts';

export const services = ['api-gateway', 'dispatcher', 'ledger', 'webhook-sender', 'sandbox'] as const;
export type Target = (typeof services)[number] | 'redis' | 'postgres' | 'disk' | 'receiver';

/** `pause`: SIGSTOP, and SIGCONT after `lastsS`. `busy`: as many writes and fsyncs as the disk takes. */
export type FaultKind = 'kill' | 'stop' | 'pause' | 'flush' | 'crash' | 'busy' | 'down';

/** `atS`: seconds from the start of the load; `lastsS`: 0 for what is over at once. */
export type Fault = { atS: number; kind: FaultKind; target: Target; lastsS: number };

/** What can go wrong, each as often as the others; `mostS` 0: over at once. */
const repertoire: { kind: FaultKind; targets: readonly Target[]; mostS: number }[] = [
  { kind: 'kill', targets: services, mostS: 0 },
  { kind: 'stop', targets: services, mostS: 0 },
  { kind: 'pause', targets: [...services, 'redis'], mostS: 12 },
  { kind: 'flush', targets: ['redis'], mostS: 0 },
  { kind: 'crash', targets: ['redis', 'postgres'], mostS: 0 },
  { kind: 'busy', targets: ['disk'], mostS: 10 },
  { kind: 'down', targets: ['receiver'], mostS: 20 },
];

/** Before the first fault, and between the end of one and the next: what broke is mended, and rests are seen. */
const calmS = { least: 15, most: 40 };

/**
 * The faults of a run: the same for the same seed, none after the last `calmS.least` seconds. Every kind comes once before
 * one comes again.
 */
export function planFaults(seed: number, seconds: number): Fault[] {
  const random = seededRandom(seed);
  const between = (least: number, most: number) => least + Math.floor(random() * (most - least + 1));
  const one = <Item>(items: readonly Item[]) => items[Math.floor(random() * items.length)] as Item;
  const faults: Fault[] = [];
  let bag: typeof repertoire = [];
  for (let atS = between(calmS.least, calmS.most); ; ) {
    if (bag.length === 0) bag = [...repertoire];
    const what = one(bag);
    bag = bag.filter((other) => other !== what);
    const lastsS = what.mostS === 0 ? 0 : between(3, what.mostS);
    if (atS + lastsS > seconds - calmS.least) return faults;
    faults.push({ atS, kind: what.kind, target: one(what.targets), lastsS });
    atS += lastsS + between(calmS.least, calmS.most);
  }
}
