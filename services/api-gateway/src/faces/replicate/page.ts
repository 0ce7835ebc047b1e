import type { Reply } from '../../http/endpoint.ts';

/** Replicate's lists. `next`: an absolute URL, which clients request as it is; null on the last page. */
export function pageReply(results: readonly unknown[], next: string | null): Reply {
  return { status: 200, body: { results, next, previous: null } };
}

export const onePage = (results: readonly unknown[]): Reply => pageReply(results, null);
