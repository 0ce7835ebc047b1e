import { createEgressPolicy } from './policy.ts';
import { type PostOptions, postJson } from './post.ts';

const policy = createEgressPolicy({ allowCidrs: ['127.0.0.0/8'], allowHttp: true });

/** As a webhook is posted, but to loopback, for this package's tests. */
export const postLocally = (url: string, options: Partial<PostOptions> = {}) =>
  postJson({
    url,
    body: '{"a":1}',
    headers: {},
    timeoutMs: 10_000,
    maxResponseBytes: 65_536,
    policy,
    ...options,
  });
