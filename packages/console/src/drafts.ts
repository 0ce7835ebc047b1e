import type { Input } from './schemaForm.tsx';

/** What is being typed for a model. Its files belong to the organization. */
type Draft = { organizationId: string; input: Input };

const prefix = 'holdfast draft ';

export function readDraft(model: string): Draft | null {
  return JSON.parse(sessionStorage.getItem(prefix + model) ?? 'null') as Draft | null;
}

/** Until it is sent, the tab is closed or the operator signs out. */
export function keepDraft(model: string, draft: Draft): void {
  try {
    sessionStorage.setItem(prefix + model, JSON.stringify(draft));
  } catch {
    // It is larger than what browsers keep.
    dropDraft(model);
  }
}

export const dropDraft = (model: string): void => sessionStorage.removeItem(prefix + model);

export function dropDrafts(): void {
  for (const key of Object.keys(sessionStorage)) if (key.startsWith(prefix)) sessionStorage.removeItem(key);
}
