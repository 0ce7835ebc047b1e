import type { ServerResponse } from 'node:http';

/** The rate limit of a response by the names that OpenAI has, beside ours. */
export function setLimitHeaders(response: ServerResponse): void {
  const [limit, remaining, reset] = ['Limit', 'Remaining', 'Reset'].map((name) =>
    response.getHeader(`X-RateLimit-${name}`),
  );
  if (limit === undefined || remaining === undefined) return;
  response.setHeader('x-ratelimit-limit-requests', limit);
  response.setHeader('x-ratelimit-remaining-requests', remaining);
  // Ours is a time, theirs a duration.
  const resetS = Math.max(0, Math.ceil(Number(reset) - Date.now() / 1000));
  response.setHeader('x-ratelimit-reset-requests', `${resetS}s`);
}
