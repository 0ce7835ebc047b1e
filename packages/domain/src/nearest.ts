const maxLength = 64;

/** The known name that `name` is most likely a misspelling of: at most a third of it differs. Null: none is near. */
export function nearestName(name: string, known: Iterable<string>): string | null {
  if (name === '' || name.length > maxLength) return null;
  let [nearest, least]: [string | null, number] = [null, Math.max(1, Math.floor(name.length / 3)) + 1];
  for (const one of known) {
    // The difference in length is the least possible distance.
    if (one.length > maxLength || Math.abs(one.length - name.length) >= least) continue;
    const distance = distanceBetween(name.toLowerCase(), one.toLowerCase());
    if (distance < least) [nearest, least] = [one, distance];
  }
  return nearest;
}

/** Insertions, deletions, replacements and exchanges of neighbours (optimal string alignment). */
function distanceBetween(from: string, to: string): number {
  let before: number[] = [];
  let above = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= to.length; column += 1) {
      const isSame = from[row - 1] === to[column - 1];
      const isExchange = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      current[column] = Math.min(
        (above[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (above[column - 1] ?? 0) + (isSame ? 0 : 1),
        row > 1 && column > 1 && isExchange ? (before[column - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    [before, above] = [above, current];
  }
  return above[to.length] ?? 0;
}
