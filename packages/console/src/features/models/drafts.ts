import { parseJson } from '../../json.ts';
import { useSession } from '../access/session.tsx';
import type { Input } from './schemaForm.tsx';

/** What is being typed for a model. Its files belong to the organization. */
export type Draft = { organizationId: string; input: Input };

const prefix = 'holdfast draft ';
const prefixOf = (sessionId: string | null | undefined) => `${prefix}${sessionId} `;

/** The draft for a model in this tab, until it is sent, the tab is closed or the session ends. */
export function useDraft(model: string) {
  const { data: session } = useSession();
  const key = prefixOf(session?.id) + model;
  const drop = () => sessionStorage.removeItem(key);
  return {
    read: () => parseJson(sessionStorage.getItem(key) ?? 'null') as Draft | null,
    keep(draft: Draft): void {
      try {
        sessionStorage.setItem(key, JSON.stringify(draft));
      } catch {
        // It is larger than what browsers keep.
        drop();
      }
    },
    drop,
  };
}

/** The next operator at this browser must not see them. */
export function dropDraftsOfOtherSessions(sessionId: string | null): void {
  for (const key of Object.keys(sessionStorage)) {
    if (key.startsWith(prefix) && !key.startsWith(prefixOf(sessionId))) sessionStorage.removeItem(key);
  }
}
