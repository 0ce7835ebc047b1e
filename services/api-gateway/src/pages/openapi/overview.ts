import { limits } from '@holdfast/domain/limits';

export const title = 'Holdfast API';
/** The version of Holdfast: a release sets it. The API has its own version in its paths. */
export const version = '0.3.0';

/** The groups of endpoints, in the order of the reference. */
export const tags = {
  Executions: 'Run models: create executions, follow them, read their results, cancel and erase them.',
  Batches:
    'Run up to a million inputs when nothing else is to run, within a budget, and read their results in two files.',
  Models: 'The models that a key may run, with the schema of their input and their prices.',
  Balance: 'The balance of your organization, its transactions, and usage by model or day.',
  Files: 'Upload input files, and read and download files. Outputs of executions are files too.',
  Webhooks: 'Endpoints that receive events, their secrets, and the deliveries to them.',
  Events: 'What happened to executions and webhook endpoints, also for receivers that missed it.',
  'API keys': 'Create, list, rotate and revoke the keys of your organization.',
  Portal: 'Links that show your organization to people, as a page or in a frame of your own.',
} as const;

export const overview: readonly { heading: string; paragraphs: readonly string[] }[] = [
  {
    heading: 'How it works',
    paragraphs: [
      'Send the name of a model and its input; the response is `202` with an execution id. The execution runs in the ' +
        'background. Receive its result by a signed webhook or read it by polling. `Prefer: wait` makes a create or a read wait for the ' +
        'result, for up to 60 seconds.',
      'Creating an execution places a hold on the balance. A completed execution settles it to the actual cost; ' +
        'a failed, cancelled or expired one releases it and is not charged.',
      'Files are not passed as URLs: upload them first and use the `file_` reference in the input.',
    ],
  },
  {
    heading: 'Authentication',
    paragraphs: [
      'Every request needs `Authorization: Bearer <API_KEY>`. Keys with the permission `execution` can use ' +
        'executions and files; `full` keys can use everything. `scopes` restrict a key further: each endpoint names the ' +
        'scope that it needs. A key can also have an expiry (`expires_at`), a list of models (`models`; it cannot see ' +
        'executions and events of other models) and a list of client addresses (`addresses`). A request beyond these ' +
        'limits gets `403` `FORBIDDEN`.',
      'A web page gets no key: `POST /v1/executions/{id}/token` returns a token that reads one execution, from any origin.',
      'Keys with `mode: "test"` have their own executions, files, webhooks and test balance. They run only sandbox ' +
        'models and never cost real money.',
    ],
  },
  {
    heading: 'Requests',
    paragraphs: [
      'Bodies are JSON objects. Unknown fields are refused, and so are unknown query parameters, except by reads that take none. ' +
        '`null` for an optional field counts as absent, unless the field defines a meaning for it. A query ' +
        'parameter without a value (`?cursor=`) also counts as absent.',
      'Integers keep their digits, however long they are, from the request to the model and from the model to the result; fractions ' +
        'are rounded to doubles, and a number beyond them (`1e400`) is refused. `JSON.parse` of JavaScript rounds integers beyond 2^53.',
    ],
  },
  {
    heading: 'Idempotency',
    paragraphs: [
      'Send an `Idempotency-Key` with every create, such as your order number: 1 to 255 printable ASCII characters. ' +
        'The same key with the same body returns the original execution with `Idempotent-Replayed: true`; with another ' +
        'body it is refused with `IDEMPOTENCY_KEY_REUSED`. A refused request does not use up its key.',
    ],
  },
  {
    heading: 'Rate limits',
    paragraphs: [
      'Creating executions and all other requests have separate limits, per API key and minute. Every response has ' +
        '`X-RateLimit-Limit`, `X-RateLimit-Remaining` and `X-RateLimit-Reset`; above the limit the response is `429` ' +
        'with `Retry-After`. Poll no more often than every 2 to 5 seconds, and use webhooks in production.',
    ],
  },
  {
    heading: 'Webhooks',
    paragraphs: [
      'Deliveries are `POST` requests that need a `2xx` response within 30 seconds. ' +
        `They are attempted up to ${limits.webhookAttempts} times and expire after 24 hours. After ` +
        `${limits.webhookFailuresToDeactivate} failures in a row the endpoint is deactivated. An event can ` +
        'arrive more than once: drop ids that you have already seen.',
      'To verify a delivery, compute the hex HMAC-SHA256 of `<X-Signature-Timestamp>.<raw body>`, keyed with the ' +
        'whole secret, and compare it with `X-Signature`. Refuse timestamps older than 5 minutes. The headers of ' +
        'Standard Webhooks (`webhook-id`, `webhook-timestamp`, `webhook-signature`) are sent as well.',
      'In the source, `docs/webhooks/verify.md` has complete receivers in TypeScript, Python, Go, Ruby, PHP, Java and shell, ' +
        'and `docs/webhooks.md` leads to duplicates, order, replay and recovery. `npm run webhooks:listen` prints the webhooks of a ' +
        'Holdfast on your machine.',
    ],
  },
  {
    heading: 'Errors',
    paragraphs: [
      'All errors have the same shape: `error` with `code`, `message`, `retryable`, `request_id` and `details`, which ' +
        'lists the invalid fields, and `doc_url`, which leads to the page of the code. Retry only when `retryable` is ' +
        'true, after a pause.',
    ],
  },
];

export function overviewMarkdown(): string {
  return overview
    .map(({ heading, paragraphs }) => `## ${heading}\n\n${paragraphs.join('\n\n')}`)
    .join('\n\n');
}
