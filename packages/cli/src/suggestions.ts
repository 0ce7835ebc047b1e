import { type UnknownFlagError, UsageError } from '@holdfast/kit/flags';
import type { Command } from './command.ts';
import { commands } from './commands.ts';
import { positionsOf } from './completion/positions.ts';

/** Says what is wrong with words that are no command, with the command that was probably meant, or those of the group. */
export function unknownCommand(args: string[]): string {
  const unknown = `there is no command "${args.join(' ')}"`;
  const words = args.filter((arg) => !arg.startsWith('-'));
  const names = commands.map(({ name }) => name);
  const groups = [...new Set(names.map((name) => name.split(' ')[0] ?? ''))];
  const closest =
    closestTo(words.slice(0, 2).join(' '), names) ?? closestTo(words[0] ?? '', [...groups, ...names]);
  if (closest === null) return unknown;
  const question = closest === words[0] ? '' : `: did you mean holdfast ${closest}?`;
  if (names.includes(closest)) return `${unknown}${question}`;
  const members = commands.flatMap(({ name }) => {
    const [group, member] = name.split(' ');
    return group === closest ? (member ?? []) : [];
  });
  if (closest === args.join(' ')) return `holdfast ${closest} needs one of ${members.join(', ')}`;
  return `${unknown}${question || ':'} ${closest} takes ${members.join(', ')}`;
}

/** The error for an unknown flag, with the flag of the command that was probably meant. */
export function withSuggestion({ flag, message }: UnknownFlagError, command: Command): UsageError {
  const flags = positionsOf([command]).flatMap((position) => position.flags.map(({ name }) => name));
  const closest = closestTo(flag, flags);
  return new UsageError(
    `${message} of holdfast ${command.name}${closest === null ? '' : `: did you mean ${closest}?`}`,
  );
}

/** The known word that is closest to a misspelt one; null when none is close. */
function closestTo(word: string, known: readonly string[]): string | null {
  let best: string | null = null;
  // A third of the letters may be wrong, but not of the shortest words: `key` is not `org`.
  let maxDistance = Math.max(1, Math.floor(word.length / 3));
  for (const candidate of known) {
    const distance = editsBetween(word, candidate);
    if (distance > maxDistance || (distance === maxDistance && best !== null)) continue;
    best = candidate;
    maxDistance = distance;
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
