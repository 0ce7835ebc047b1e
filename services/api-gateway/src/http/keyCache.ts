import { type FoundApiKey, findApiKeys } from '@holdfast/db/apiKeys';
import type { Database } from '@holdfast/db/client';
import { createBatcher } from '@holdfast/kit/batcher';
import type { Caller } from './endpoint.ts';

/** A revoked key stops working everywhere within 5 s, so nothing is believed for longer than this. */
const believedMs = 3000;
const maxEntries = 10_000;

type Entry = { caller: Promise<Caller | null>; until: number };

/** Who a key belongs to, by its hash; asked of the database once in a while, unknown keys too. */
export function openKeyCache(db: Database): (hash: string) => Promise<Caller | null> {
  const entries = new Map<string, Entry>();
  const lookUps = createBatcher<string, FoundApiKey | null>({
    maxSize: 500,
    async run(hashes) {
      const found = await findApiKeys(db, hashes);
      return hashes.map((hash) => found.get(hash) ?? null);
    },
  });

  function look(hash: string): Promise<Caller | null> {
    const entry: Entry = { caller: Promise.resolve(null), until: performance.now() + believedMs };
    entry.caller = lookUps.add(hash).then((found) => {
      if (!found) return null;
      const { validForMs, ...caller } = found;
      if (validForMs !== null) entry.until = Math.min(entry.until, performance.now() + validForMs);
      return caller;
    });
    entry.caller.catch(() => entries.delete(hash));
    if (entries.size >= maxEntries) entries.delete(entries.keys().next().value ?? '');
    entries.set(hash, entry);
    return entry.caller;
  }

  return (hash) => {
    const entry = entries.get(hash);
    if (entry && entry.until > performance.now()) return entry.caller;
    entries.delete(hash);
    return look(hash);
  };
}
