/** The known word that a misspelt one was most likely meant to be; null when none is close. */
export function closestTo(word: string, known: readonly string[]): string | null {
  let best: string | null = null;
  // A third of the letters may be wrong, but not of the shortest words: `key` is not `org`.
  let most = Math.max(1, Math.floor(word.length / 3));
  for (const candidate of known) {
    const distance = editsBetween(word, candidate);
    if (distance > most || (distance === most && best !== null)) continue;
    best = candidate;
    most = distance;
  }
  return best;
}

/** Letters to insert, delete, replace or swap with their neighbour (optimal string alignment). */
function editsBetween(a: string, b: string): number {
  const rows = [Array.from({ length: b.length + 1 }, (_, column) => column)];
  const at = (row: number, column: number) => rows[row]?.[column] ?? Number.POSITIVE_INFINITY;
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    rows.push(row);
    for (let j = 1; j <= b.length; j++) {
      const replaced = at(i - 1, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const isSwapped = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swapped = isSwapped ? at(i - 2, j - 2) + 1 : Number.POSITIVE_INFINITY;
      row.push(Math.min(at(i - 1, j) + 1, at(i, j - 1) + 1, replaced, swapped));
    }
  }
  return at(a.length, b.length);
}
