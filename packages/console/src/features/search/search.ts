/** What the keys in a search field ask for. It waits until the rows are those of the text. */
export type Wish = 'move' | 'open';

/** What is asked for after this key: `↓` moves to the first row, and Enter after it opens that. Null: nothing. */
export function wishAfter(key: string, wish: Wish | null): Wish | null {
  if (key === 'ArrowDown') return wish ?? 'move';
  return key === 'Enter' && wish !== null ? 'open' : null;
}

const pages = {
  exec: '/executions/$id',
  org: '/organizations/$id',
  wh: '/webhooks/endpoints/$id',
  dlv: '/webhooks/deliveries/$id',
} as const;

/** The prefix of a whole id. Null: the text is no id, or only the start of one. */
function kindOf(typed: string): string | null {
  const [, kind] = /^([a-z]+)_[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.exec(typed.trim()) ?? [];
  return kind ?? null;
}

/** Whether a text is the whole id of a batch. The page of a batch needs its organization, too. */
export const isBatchId = (typed: string) => kindOf(typed) === 'bat';

/** The page of a whole id. Null: it is no id, or has no page. */
export function pageOfId(typed: string): { to: (typeof pages)[keyof typeof pages]; id: string } | null {
  const kind = kindOf(typed);
  if (kind === null || !Object.hasOwn(pages, kind)) return null;
  return { to: pages[kind as keyof typeof pages], id: typed.trim() };
}

/**
 * The searches that the address does not have yet after it has changed to `value`. Null: it has one that was not typed,
 * as after going back, and the field takes it over.
 */
export function remainingOf(sent: readonly string[], value: string): string[] | null {
  const at = sent.indexOf(value);
  return at === -1 ? null : sent.slice(at + 1);
}
