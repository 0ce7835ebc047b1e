import type { ApiClient } from '@holdfast/testkit/apiClient';

/** A picture of one pixel. */
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

/** Uploads a picture; answers its `file_id`. @throws when it is refused or the gateway is away */
export async function upload(api: ApiClient): Promise<string> {
  const terms = { filename: 'pixel.png', content_type: 'image/png', size_bytes: png.length };
  const { status, body } = await api.post('/v1/files/upload', terms);
  if (status !== 201) throw new Error(`an upload was answered ${status}`);
  const { file_id: id, upload_url: url } = body as { file_id: string; upload_url: string };
  const headers = { 'content-type': 'image/png' };
  const put = await fetch(url, { method: 'PUT', headers, body: png, signal: AbortSignal.timeout(20_000) });
  await put.arrayBuffer();
  if (!put.ok) throw new Error(`a PUT was answered ${put.status}`);
  return id;
}
