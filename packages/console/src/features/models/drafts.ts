import { parseJson } from '../../json.ts';
import type { Input } from './schema.ts';

/** What is being typed for a model. Its files belong to the organization. */
export type Draft = { organizationId: string; input: Input };

const prefix = 'holdfast draft ';
const prefixOf = (sessionId: string | null | undefined) => `${prefix}${sessionId} `;

/** The text of a model in the editor. `version`: what it is a change of; null: the model is new. */
export type TextDraft = { yaml: string; version: string | null };

/** The draft for a model in this tab, until it is sent, the tab is closed or the session ends. */
export function draftOf(model: string, sessionId: string | null | undefined, storage: Storage) {
  return keptAs<Draft>(prefixOf(sessionId) + model, storage);
}

/** As `draftOf`; null: the text of a new model. */
export function textDraftOf(model: string | null, sessionId: string | null | undefined, storage: Storage) {
  return keptAs<TextDraft>(`${prefixOf(sessionId)}yaml ${model ?? ''}`, storage);
}

function keptAs<Kept>(key: string, storage: Storage) {
  const drop = () => storage.removeItem(key);
  return {
    read: () => parseJson(storage.getItem(key) ?? 'null') as Kept | null,
    keep(draft: Kept): void {
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
