export const services = ['api-gateway', 'dispatcher', 'ledger', 'webhook-sender', 'sandbox'] as const;
export type Target = (typeof services)[number] | 'redis' | 'postgres' | 'disk' | 'receiver';

/** `pause`: SIGSTOP, then SIGCONT after `lastsS`. `busy`: as many fsyncs as the disk takes. */
export type FaultKind = 'kill' | 'stop' | 'pause' | 'flush' | 'crash' | 'busy' | 'down';

/** `atS`: since the start of the load; `lastsS` 0: momentary. */
export type Fault = { atS: number; kind: FaultKind; target: Target; lastsS: number };

/** Equally likely. */
const possibleFaults: { kind: FaultKind; targets: readonly Target[]; maxS: number }[] = [
  { kind: 'kill', targets: services, maxS: 0 },
  { kind: 'stop', targets: services, maxS: 0 },
  { kind: 'pause', targets: [...services, 'redis'], maxS: 12 },
  { kind: 'flush', targets: ['redis'], maxS: 0 },
  { kind: 'crash', targets: ['redis', 'postgres'], maxS: 0 },
  { kind: 'busy', targets: ['disk'], maxS: 10 },
  { kind: 'down', targets: ['receiver'], maxS: 20 },
];

/** Before and between faults: recovery and rest are observed. */
const calmS = { min: 15, max: 40 };

/** Deterministic for a seed. Every kind occurs once before one repeats. */
export function planFaults(seed: number, seconds: number): Fault[] {
  const random = seededRandom(seed);
  const between = (min: number, max: number) => min + Math.floor(random() * (max - min + 1));
  const one = <Item>(items: readonly Item[]) => items[Math.floor(random() * items.length)] as Item;
  const faults: Fault[] = [];
  let bag: typeof possibleFaults = [];
  for (let atS = between(calmS.min, calmS.max); ; ) {
    if (bag.length === 0) bag = [...possibleFaults];
    const what = one(bag);
    bag = bag.filter((other) => other !== what);
    const lastsS = what.maxS === 0 ? 0 : between(3, what.maxS);
    if (atS + lastsS > seconds - calmS.min) return faults;
    faults.push({ atS, kind: what.kind, target: one(what.targets), lastsS });
    atS += lastsS + between(calmS.min, calmS.max);
  }
}

/** mulberry32: numbers in [0, 1), equal for equal seeds. */
export function seededRandom(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
