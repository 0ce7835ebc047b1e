export type Named = { id: string; name: string };

export const shortened = (id: string) => `${id.slice(0, 12)}…${id.slice(-6)}`;

/** The only one with this name, or the only one that was found; null: it is not clear which one is meant. */
export function meant(found: Named[], typed: string): Named | null {
  const lower = typed.toLowerCase();
  const same = found.filter(({ name }) => name === typed);
  const alike = found.filter(({ name }) => name.toLowerCase() === lower);
  const [only, ...others] = [same, alike, found].find(({ length }) => length > 0) ?? [];
  return only && others.length === 0 ? only : null;
}
