import { parseJson } from '../../json.ts';
import type { Input } from './schema.ts';

/** What is being typed for a model. Its files belong to the organization. */
export type Draft = { organizationId: string; input: Input };

const prefix = 'holdfast draft ';
const prefixOf = (sessionId: string | null | undefined) => `${prefix}${sessionId} `;

/** The draft for a model in this tab, until it is sent, the tab is closed or the session ends. */
export function draftOf(model: string, sessionId: string | null | undefined, storage: Storage) {
  const key = prefixOf(sessionId) + model;
  const drop = () => storage.removeItem(key);
  return {
    read: () => parseJson(storage.getItem(key) ?? 'null') as Draft | null,
    keep(draft: Draft): void {
      try {
        storage.setItem(key, JSON.stringify(draft));
      } catch {
        // It is larger than what browsers keep.
        drop();
      }
    },
    drop,
  };
}

/** The next operator at this browser must not see them. */
export function dropDraftsOfOtherSessions(sessionId: string | null, storage: Storage): void {
  for (const key of Object.keys(storage)) {
    if (key.startsWith(prefix) && !key.startsWith(prefixOf(sessionId))) storage.removeItem(key);
  }
}
