import type { ApiClient } from '@holdfast/testkit/apiClient';
import type { Following } from './work.ts';

type Counts = { asked: number; unavailable: number };

/**
 * Acts on an accepted execution like a user. Unavailability is counted; a response that no fault explains is a
 * problem.
 */
export async function follow(
  api: ApiClient,
  id: string,
  following: Following,
  counts: Counts,
  troubles: string[],
): Promise<void> {
  if (following === 'nothing') return;
  counts.asked += 1;
  try {
    const status = await asks[following](api, id);
    const isWrong = status < 500 && status !== 429 && !expected[following].includes(status);
    if (isWrong) troubles.push(`${following} of ${id} was answered ${status}`);
    if (status >= 500) counts.unavailable += 1;
  } catch {
    counts.unavailable += 1;
  }
}

const expected: Record<Exclude<Following, 'nothing'>, number[]> = {
  read: [200],
  wait: [200],
  list: [200],
  stream: [200, 204],
  // 409: it has ended before.
  cancel: [200, 409],
};

const asks: Record<Exclude<Following, 'nothing'>, (api: ApiClient, id: string) => Promise<number>> = {
  read: async (api, id) => (await api.get(`/v1/executions/${id}`)).status,
  wait: async (api, id) => (await api.get(`/v1/executions/${id}?wait=5`)).status,
  list: async (api) => (await api.get('/v1/executions?limit=20')).status,
  cancel: async (api, id) => (await api.post(`/v1/executions/${id}/cancel`)).status,
  stream: async (api, id) => {
    const answer = await api.fetch(`/v1/executions/${id}/events`);
    await answer.text();
    return answer.status;
  },
};
