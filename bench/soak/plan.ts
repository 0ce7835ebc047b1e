import { seededRandom } from './random.ts';

export const services = ['api-gateway', 'dispatcher', 'ledger', 'webhook-sender', 'sandbox'] as const;
export type Target = (typeof services)[number] | 'redis' | 'postgres' | 'disk' | 'receiver';

/** `pause`: SIGSTOP, then SIGCONT after `lastsS`. `busy`: as many fsyncs as the disk takes. */
export type FaultKind = 'kill' | 'stop' | 'pause' | 'flush' | 'crash' | 'busy' | 'down';

/** `atS`: since the start of the load; `lastsS` 0: momentary. */
export type Fault = { atS: number; kind: FaultKind; target: Target; lastsS: number };

/** Equally likely. */
const repertoire: { kind: FaultKind; targets: readonly Target[]; mostS: number }[] = [
  { kind: 'kill', targets: services, mostS: 0 },
  { kind: 'stop', targets: services, mostS: 0 },
  { kind: 'pause', targets: [...services, 'redis'], mostS: 12 },
  { kind: 'flush', targets: ['redis'], mostS: 0 },
  { kind: 'crash', targets: ['redis', 'postgres'], mostS: 0 },
  { kind: 'busy', targets: ['disk'], mostS: 10 },
  { kind: 'down', targets: ['receiver'], mostS: 20 },
];

/** Before and between faults: recovery and rest are observed. */
const calmS = { least: 15, most: 40 };

/** Deterministic for a seed. Every kind occurs once before one repeats. */
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
