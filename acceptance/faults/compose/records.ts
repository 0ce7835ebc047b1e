import type { ApiClient } from '@holdfast/testkit/apiClient';
import { withRetries } from './retries.ts';

/** An execution in the list. */
export type ExecutionRecord = {
  id: string;
  status: string;
  cost: string | null;
  error: { code: string } | null;
  created_at: string;
  completed_at: string | null;
  result?: { images?: { file_id: string }[] };
};

type Page = { data: ExecutionRecord[]; next_cursor: string | null };

async function page(api: ApiClient, query: string): Promise<Page> {
  const { status, body } = await withRetries(() => api.get(`/v1/executions?${query}`));
  if (status !== 200) throw new Error(`the list returned ${status} ${JSON.stringify(body)}`);
  return body as Page;
}

/** Every execution of the organization. */
export async function listAll(api: ApiClient): Promise<ExecutionRecord[]> {
  const all: ExecutionRecord[] = [];
  let cursor: string | null = '';
  while (cursor !== null) {
    const found: Page = await page(api, `limit=100${cursor && `&cursor=${cursor}`}`);
    all.push(...found.data);
    cursor = found.next_cursor;
  }
  return all;
}

/** Whether any execution has not ended. */
export async function someOpen(api: ApiClient): Promise<boolean> {
  const open = ['PENDING', 'PROCESSING', 'AWAITING_WEBHOOK'];
  const pages = await Promise.all(open.map((status) => page(api, `limit=1&status=${status}`)));
  return pages.some(({ data }) => data.length > 0);
}
