/** Does the work of `whose` as soon as it is its turn, and answers what came of it. */
export type InTurn = <Result>(whose: string, work: () => Promise<Result>) => Promise<Result>;

/**
 * At most `size` at once, and `mostOfOne` of anybody; those who wait take turns, and what is of one of them goes in the order
 * in which it came.
 */
export function createTurns(size: number, mostOfOne = size): InTurn {
  const taken = new Map<string, number>();
  const waiting = new Map<string, (() => void)[]>();
  let free = size;

  const takenBy = (whose: string) => taken.get(whose) ?? 0;
  const mayGo = (whose: string) => free > 0 && takenBy(whose) < mostOfOne;

  function take(whose: string): void {
    free -= 1;
    taken.set(whose, takenBy(whose) + 1);
  }

  function give(whose: string): void {
    free += 1;
    if (takenBy(whose) > 1) taken.set(whose, takenBy(whose) - 1);
    else taken.delete(whose);
  }

  /** A turn is taken for whom it is given to: nobody can come in between. */
  function letIn(): void {
    for (const [whose, line] of waiting) {
      if (free === 0) return;
      if (!mayGo(whose)) continue;
      const begin = line.shift();
      waiting.delete(whose);
      if (line.length > 0) waiting.set(whose, line);
      take(whose);
      begin?.();
    }
  }

  function wait(whose: string): Promise<void> {
    const line = waiting.get(whose) ?? [];
    waiting.set(whose, line);
    return new Promise((resolve) => line.push(resolve));
  }

  return async (whose, work) => {
    if (mayGo(whose) && !waiting.has(whose)) take(whose);
    else await wait(whose);
    try {
      return await work();
    } finally {
      give(whose);
      letIn();
    }
  };
}
