/** A field of a model that differs. `from`, `to`: its values as JSON; null: it has none. */
export type ModelChange = { field: string; from: string | null; to: string | null };

type Dict = Readonly<Record<string, unknown>>;

/** What a definition changes in another, field by field: in mappings and lists of them by their members, else as a whole. */
export function modelChanges(before: unknown, after: unknown, field = ''): ModelChange[] {
  const [from, to] = [textOf(before), textOf(after)];
  if (from === to) return [];
  if (!isDict(before) || !isDict(after) || isPlainList(before) || isPlainList(after))
    return [{ field, from, to }];
  const names = new Set([...Object.keys(after), ...Object.keys(before)]);
  return [...names].flatMap((name) =>
    modelChanges(before[name], after[name], field === '' ? name : `${field}.${name}`),
  );
}

/** Compared as a whole, because an item that was added in the middle would change all that follow. */
const isPlainList = (value: Dict) => Array.isArray(value) && !value.every(isDict);

const isDict = (value: unknown): value is Dict => value !== null && typeof value === 'object';

/** The order of names means nothing: the database keeps none. */
function textOf(value: unknown): string | null {
  return value === undefined ? null : JSON.stringify(sorted(value));
}

function sorted(value: unknown): unknown {
  if (!isDict(value)) return value;
  if (Array.isArray(value)) return value.map(sorted);
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, one]) => [name, sorted(one)]),
  );
}
