/** Deeper than any answer is, and far from where recursion over it would run out of stack. */
const mostLevels = 128;

/** The JSON of a text; undefined when it is none, or is nested so deep that it was made to break who reads it. */
export function parseJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return isDeeperThan(mostLevels, value) ? undefined : value;
  } catch {
    return undefined;
  }
}

function isDeeperThan(levels: number, value: unknown): boolean {
  if (value === null || typeof value !== 'object') return false;
  if (levels === 0) return true;
  for (const name in value) {
    if (isDeeperThan(levels - 1, (value as Record<string, unknown>)[name])) return true;
  }
  return false;
}
