/** The word that was probably meant; null when none is close. */
export function nearest(word: string, known: readonly string[]): string | null {
  const most = Math.min(3, Math.floor(word.length / 3) + 1);
  const [best] = known
    .map((one) => ({ one, distance: distance(word.toLowerCase(), one.toLowerCase()) }))
    .filter((candidate) => candidate.distance <= most)
    .toSorted((a, b) => a.distance - b.distance);
  return best?.one ?? null;
}

/** Levenshtein's: how many letters must be put in, taken out or replaced. */
function distance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (const [index, letter] of from.split('').entries()) {
    const next = [index + 1];
    for (const [at, other] of to.split('').entries()) {
      const replaced = (row[at] ?? 0) + (letter === other ? 0 : 1);
      next.push(Math.min(replaced, (row[at + 1] ?? 0) + 1, (next[at] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
