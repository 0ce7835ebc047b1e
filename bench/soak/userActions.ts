import type { ApiClient } from '@holdfast/testkit/apiClient';

export type FollowUp = 'nothing' | 'read' | 'wait' | 'stream' | 'cancel' | 'list';

/** One create, and what its user does next. */
export type UserAction = {
  model: string;
  input: Record<string, unknown>;
  hasUpload: boolean;
  followUp: FollowUp;
};

const text = (nth: number, more: object) => ({
  model: 'sandbox-text',
  input: { prompt: `soak ${nth}`, ...more },
});

/** A fixed mix of everything that users do, mostly text. */
export function userActionOf(nth: number): UserAction {
  const step = nth % 100;
  const followUp = followUps[step] ?? 'nothing';
  if (step === 50) return { model: 'image-transform', input: { width: 16 }, hasUpload: true, followUp };
  if (step % 33 === 7) {
    const input = { prompt: `image ${nth}`, width: 64, height: 64 };
    return { model: 'sandbox-image', input, hasUpload: false, followUp };
  }
  const plain = { hasUpload: false, followUp };
  if (followUp === 'cancel') return { ...text(nth, { mode: 'callback', delay_ms: 3000 }), ...plain };
  if (step % 25 === 3) return { ...text(nth, { fail: 'CONTENT_MODERATION_REJECTED' }), ...plain };
  if (step === 29) return { ...text(nth, { fail: 'GENERATION_FAILED' }), ...plain };
  const delayMs = step % 10 === 1 ? 1000 : 0;
  return { ...text(nth, { mode: step % 2 ? 'sync' : 'callback', delay_ms: delayMs }), ...plain };
}

const followUps: Record<number, FollowUp> = {
  1: 'wait',
  5: 'read',
  10: 'list',
  15: 'cancel',
  21: 'stream',
  25: 'read',
  45: 'read',
  57: 'wait',
  65: 'cancel',
  75: 'list',
  85: 'read',
};

type Counts = { sent: number; unavailable: number };

/**
 * Acts on an accepted execution like a user. Unavailability is counted; a response that no fault explains is a
 * problem.
 */
export async function follow(
  api: ApiClient,
  id: string,
  followUp: FollowUp,
  counts: Counts,
  problems: string[],
): Promise<void> {
  if (followUp === 'nothing') return;
  counts.sent += 1;
  try {
    const status = await requests[followUp](api, id);
    const isWrong = status < 500 && status !== 429 && !expected[followUp].includes(status);
    if (isWrong) problems.push(`${followUp} of ${id} returned ${status}`);
    if (status >= 500) counts.unavailable += 1;
  } catch {
    counts.unavailable += 1;
  }
}

const expected: Record<Exclude<FollowUp, 'nothing'>, number[]> = {
  read: [200],
  wait: [200],
  list: [200],
  stream: [200, 204],
  // 409: it has ended before.
  cancel: [200, 409],
};

const requests: Record<Exclude<FollowUp, 'nothing'>, (api: ApiClient, id: string) => Promise<number>> = {
  read: async (api, id) => (await api.get(`/v1/executions/${id}`)).status,
  wait: async (api, id) => (await api.get(`/v1/executions/${id}?wait=5`)).status,
  list: async (api) => (await api.get('/v1/executions?limit=20')).status,
  cancel: async (api, id) => (await api.post(`/v1/executions/${id}/cancel`)).status,
  stream: async (api, id) => {
    const response = await api.fetch(`/v1/executions/${id}/events`);
    await response.text();
    return response.status;
  },
};

/** An image of one pixel. */
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

/** Uploads an image and returns its `file_id`. @throws when it is refused or the gateway is unavailable */
export async function uploadImage(api: ApiClient): Promise<string> {
  const upload = { filename: 'pixel.png', content_type: 'image/png', size_bytes: png.length };
  const { status, body } = await api.post('/v1/files/upload', upload);
  if (status !== 201) throw new Error(`an upload returned ${status}`);
  const { file_id: id, upload_url: url } = body as { file_id: string; upload_url: string };
  const headers = { 'content-type': 'image/png' };
  const put = await fetch(url, { method: 'PUT', headers, body: png, signal: AbortSignal.timeout(20_000) });
  await put.arrayBuffer();
  if (!put.ok) throw new Error(`a PUT returned ${put.status}`);
  return id;
}
