import { setImmediate as nextTurn } from 'node:timers/promises';

/** Per pair of sides. */
export const races = 1000;
const atOnce = 8;
/** Turns of the event loop, enough for several statements. */
const maxHeadStart = 40;

/** Runs both sides for each, a few at a time; either side may have a head start. */
export async function racePairs<One>(
  ones: One[],
  left: (one: One) => Promise<unknown>,
  right: (one: One) => Promise<unknown>,
): Promise<void> {
  const waiting = ones.values();
  const lane = async () => {
    for (const one of waiting) {
      const headStart = anyHeadStart();
      await Promise.all([after(-headStart, () => left(one)), after(headStart, () => right(one))]);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
}

/** Runs a sweep against a few at a time, which `prepare` has made due. */
export async function raceSweep<One>(
  ones: One[],
  prepare: (few: One[]) => Promise<void>,
  side: (one: One) => Promise<unknown>,
  sweep: () => Promise<unknown>,
): Promise<void> {
  for (let first = 0; first < ones.length; first += atOnce) {
    const few = ones.slice(first, first + atOnce);
    await prepare(few);
    const sides = few.map((one) => after(anyHeadStart(), () => side(one)));
    await Promise.all([...sides, after(anyHeadStart(), sweep)]);
  }
}

const anyHeadStart = () => Math.round((Math.random() * 2 - 1) * maxHeadStart);

async function after(turns: number, work: () => Promise<unknown>): Promise<void> {
  for (let turn = 0; turn < turns; turn++) await nextTurn();
  await work();
}
