import type { TrustedRequest } from './trusted.ts';

export type SentBody = { body: Buffer | string | null; contentType: string | null };

/** The bytes of a request and what they are, where that follows from how they were given. */
export function sentBodyOf({ json, body }: TrustedRequest): SentBody | Promise<SentBody> {
  if (body instanceof FormData) return multipart(body);
  if (json !== undefined) return { body: JSON.stringify(json), contentType: 'application/json' };
  return { body: body ?? null, contentType: null };
}

/** Written out before it is sent: `Response` knows the encoding. */
async function multipart(form: FormData): Promise<SentBody> {
  const response = new Response(form);
  return {
    body: Buffer.from(await response.arrayBuffer()),
    contentType: response.headers.get('content-type'),
  };
}
