import { limits } from '@holdfast/domain/limits';

export const title = 'Holdfast API';
export const version = '1.0.0';

/** What a reader should know before the first endpoint: paragraphs by heading. */
export const overview: readonly { heading: string; paragraphs: readonly string[] }[] = [
  {
    heading: 'How it works',
    paragraphs: [
      'Name a model, send its input, and get `202` with an execution id at once. The execution runs in the ' +
        'background; its result comes by a signed webhook, or is read by polling. There is no synchronous call.',
      'A hold is placed on the balance when an execution is created. Success settles it to the actual cost; ' +
        'failure, cancellation and expiry release it, and nothing is charged.',
      'Files are never passed as URLs: upload them first and use the `file_` reference in the input.',
    ],
  },
  {
    heading: 'Authentication',
    paragraphs: [
      'Every request carries `Authorization: Bearer <API_KEY>`. Keys with the permission `execution` reach ' +
        'executions and files; `full` keys reach everything. `scopes` say more exactly what a key may do: each endpoint names the one that it needs. A key can ' +
        'also have an end (`expires_at`), models that it may use (`models`: executions and events of others don’t exist for it) and addresses that it may be used from ' +
        '(`addresses`). What it may not do is refused with `403` and `FORBIDDEN`.',
      'Keys with `mode: "test"` have executions, files, webhooks and play money of their own, run models of the sandbox ' +
        'alone, and are never charged.',
    ],
  },
  {
    heading: 'Requests',
    paragraphs: [
      'Bodies are JSON objects. Fields that an endpoint does not know are refused. A `null` for an optional field counts ' +
        'as absent, unless the field gives it a meaning, and so does a query parameter without a value (`?cursor=`).',
    ],
  },
  {
    heading: 'Idempotency',
    paragraphs: [
      'Give every create an `Idempotency-Key` that means something to your business, such as an order number: ' +
        '1 to 255 printable ASCII characters. The same key with the same body answers the original execution with `Idempotent-Replayed: true`; with another ' +
        'body it is refused with `IDEMPOTENCY_KEY_REUSED`. A request that was refused has not used up its key.',
    ],
  },
  {
    heading: 'Rate limits',
    paragraphs: [
      'Creates and all other requests are counted apart, per API key and minute. Every answer carries ' +
        '`X-RateLimit-Limit`, `X-RateLimit-Remaining` and `X-RateLimit-Reset`; beyond the limit the answer is `429` ' +
        'with `Retry-After`. Poll every 2 to 5 seconds at most, and use webhooks in production.',
    ],
  },
  {
    heading: 'Webhooks',
    paragraphs: [
      'Deliveries are `POST` requests that must be answered with a `2xx` within 30 seconds. ' +
        `They are tried up to ${limits.webhookAttempts} times and expire after 24 hours; after ` +
        `${limits.webhookFailuresToDeactivate} failures in a row the endpoint becomes inactive. An event can ` +
        'arrive more than once: drop the ids that you have seen.',
      'To verify a delivery, compute the hex HMAC-SHA256 of `<X-Signature-Timestamp>.<raw body>`, keyed with the ' +
        'whole secret, and compare it with `X-Signature`. Refuse timestamps older than 5 minutes. The headers of ' +
        'Standard Webhooks (`webhook-id`, `webhook-timestamp`, `webhook-signature`) are sent beside them.',
      '`docs/webhooks.md` of the source has whole receivers in TypeScript, Python, Go, Ruby, PHP, Java and shell, ' +
        'and what they should know of duplicates, order, replay and catching up. `npm run webhooks:listen` prints ' +
        'what a Holdfast on your machine sends.',
    ],
  },
  {
    heading: 'Errors',
    paragraphs: [
      'Errors have one shape: `error` with `code`, `message`, `retryable`, `request_id` and `details`, which name ' +
        'the fields that are wrong. Only retry what is `retryable`, later.',
    ],
  },
];

export function overviewMarkdown(): string {
  return overview
    .map(({ heading, paragraphs }) => `## ${heading}\n\n${paragraphs.join('\n\n')}`)
    .join('\n\n');
}
