/** Does the work as soon as it is its turn, and answers what came of it. */
export type InTurn = <Result>(work: () => Promise<Result>) => Promise<Result>;

/** At most `size` at once; first come, first served. */
export function createTurns(size: number): InTurn {
  let free = size;
  const waiting: (() => void)[] = [];
  return async (work) => {
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      // The turn is handed on: nobody can come in between.
      if (next) next();
      else free += 1;
    }
  };
}
