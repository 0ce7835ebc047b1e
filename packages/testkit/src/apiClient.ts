/** A response of the API; `body` is the parsed JSON, null without one. */
export type ApiResponse = { status: number; headers: Headers; body: Record<string, unknown> };

export type ApiClient = {
  get(path: string): Promise<ApiResponse>;
  post(path: string, body?: unknown, headers?: Record<string, string>): Promise<ApiResponse>;
  patch(path: string, body: unknown): Promise<ApiResponse>;
  /** The raw response to a GET, for downloads. */
  fetch(path: string, init?: RequestInit): Promise<Response>;
};

const timeoutMs = 20_000;

/** A plain client of the API: HTTP, a key, JSON. */
export function apiClient(baseUrl: string, apiKey: string): ApiClient {
  const request = (path: string, init: RequestInit = {}) =>
    fetch(new URL(path, baseUrl), {
      signal: AbortSignal.timeout(timeoutMs),
      ...init,
      headers: { authorization: `Bearer ${apiKey}`, ...(init.headers as Record<string, string>) },
    });

  async function json(path: string, init: RequestInit): Promise<ApiResponse> {
    const response = await request(path, init);
    const text = await response.text();
    const body = (text === '' ? {} : JSON.parse(text)) as Record<string, unknown>;
    return { status: response.status, headers: response.headers, body };
  }

  const sending = (method: string, body: unknown, headers: Record<string, string> = {}): RequestInit =>
    body === undefined
      ? { method, headers }
      : { method, headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) };

  return {
    get: (path) => json(path, {}),
    post: (path, body, headers) => json(path, sending('POST', body, headers)),
    patch: (path, body) => json(path, sending('PATCH', body)),
    fetch: request,
  };
}
