import type { ApiClient } from '@holdfast/testkit/apiClient';
import { expectNone } from './checks.ts';
import type { ExecutionRecord } from './records.ts';

async function looksRight(api: ApiClient, id: string): Promise<boolean> {
  const response = await api.fetch(`/v1/files/${id}/download`);
  const bytes = Buffer.from(await response.arrayBuffer());
  return response.status === 200 && bytes.toString('latin1', 1, 4) === 'PNG';
}

/** Checks that the output files exist and are PNGs. */
export async function expectImages(api: ApiClient, records: ExecutionRecord[]): Promise<void> {
  const ids = records.flatMap(({ result }) => result?.images?.map(({ file_id }) => file_id) ?? []);
  if (ids.length === 0) throw new Error('no execution made an image');
  const wrong: string[] = [];
  for (const id of ids) if (!(await looksRight(api, id))) wrong.push(id);
  expectNone('images are missing', wrong);
}
