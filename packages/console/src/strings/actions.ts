const organization = '/admin/v1/organizations/{id}';
const onBehalf = '/admin/v1/organizations/{organization_id}';

/**
 * What each action is in words, after the name of who did it. `{organization}` and `{target}` become links, other names are
 * members of the request's body; what is in brackets is left out where one of them is missing. `{changes}`: the whole body.
 */
const sentences: Readonly<Record<string, string>> = {
  'POST /admin/v1/session': 'signed in with a token',
  'POST /admin/v1/oidc-sign-ins': 'began a sign-in by OIDC',
  'POST /admin/v1/oidc-sign-ins/session': 'signed in by OIDC',
  'DELETE /admin/v1/session': 'signed out',
  'DELETE /admin/v1/sessions/{id}': 'ended the session {target}',
  'POST /admin/v1/sign-in-links': 'made a sign-in link',
  'POST /admin/v1/executions/{id}/cancel': 'cancelled {target}',
  'POST /admin/v1/executions/{id}/rerun': 'ran {target} again',
  'POST /admin/v1/executions/{id}/refund': 'refunded[ {amount} USD of] {target}',
  [`POST ${onBehalf}/executions/bulk-cancel`]: 'cancelled many executions of {organization}',
  [`POST ${onBehalf}/executions/bulk-rerun`]: 'ran many executions of {organization} again',
  [`POST ${onBehalf}/batches/{id}/pause`]: 'paused {target} of {organization}',
  [`POST ${onBehalf}/batches/{id}/resume`]: 'resumed {target} of {organization}',
  [`POST ${onBehalf}/batches/{id}/cancel`]: 'cancelled {target} of {organization}',
  [`POST ${onBehalf}/batches/{id}/retry`]: 'ran items of {target} of {organization} again',
  [`POST ${onBehalf}/executions`]: 'ran[ {model}] for {organization}[: {target}]',
  [`DELETE ${onBehalf}/executions/{id}`]: 'erased {target} of {organization}',
  [`POST ${onBehalf}/files`]: 'uploaded a file for {organization}[: {target}]',
  [`POST ${onBehalf}/webhooks/deliveries/{id}/redeliver`]: 'sent the delivery {target} again',
  'POST /admin/v1/webhooks/deliveries/recover':
    'recovered failed deliveries[ of {organization_id}][ since {since}]',
  [`POST ${onBehalf}/webhooks/endpoints`]: 'added the endpoint {target} to {organization}[: {url}]',
  [`POST ${onBehalf}/webhooks/endpoints/{id}/recover`]:
    'recovered failed deliveries of {target}[ since {since}]',
  [`PATCH ${onBehalf}/webhooks/endpoints/{id}`]: 'changed the endpoint {target}[: {changes}]',
  [`POST ${onBehalf}/webhooks/endpoints/{id}/test`]: 'sent a test event to {target}',
  [`POST ${onBehalf}/webhooks/endpoints/{id}/rotate-secret`]: 'rotated the secret of {target}',
  'PUT /admin/v1/models/{slug}': 'applied the model {target}',
  'PATCH /admin/v1/models/{slug}': 'changed the model {target}[: active {active}]',
  'POST /admin/v1/queues/{queue}/retry': 'retried the failed jobs of {target}',
  'PUT /admin/v1/queues/{queue}/pause': 'paused the queue {target}',
  'DELETE /admin/v1/queues/{queue}/pause': 'resumed the queue {target}',
  'POST /admin/v1/ledger/audit': 'started an audit of the ledger',
  'POST /admin/v1/organizations': 'created the organization[ {organization}]',
  [`PATCH ${organization}`]: 'changed {organization}[: {changes}]',
  [`POST ${organization}/top-ups`]: 'topped up {organization}[ with {amount} USD]',
  [`POST ${organization}/corrections`]: 'corrected the balance of {organization}[ by {amount} USD]',
  'POST /admin/v1/reviews/{id}/accept': 'accepted the cost of {target}[: {amount} USD]',
  'POST /admin/v1/reviews/{id}/write-off': 'wrote off the cost of {target}',
  [`PUT ${organization}/spend-limit`]: 'limited the spending of {organization}[ to {amount} USD a month]',
  [`DELETE ${organization}/spend-limit`]: 'removed the spend limit of {organization}',
  [`POST ${organization}/api-keys`]: 'created the API key[ “{name}”] for {organization}',
  [`PUT ${organization}/api-keys/{key_id}/spend-limit`]:
    'limited the spending of the key {target} of {organization}[ to {amount} USD a month]',
  [`DELETE ${organization}/api-keys/{key_id}/spend-limit`]:
    'removed the spend limit of the key {target} of {organization}',
  [`POST ${onBehalf}/api-keys/{id}/rotate`]: 'rotated the key {target} of {organization}',
  [`DELETE ${onBehalf}/api-keys/{id}`]: 'revoked the key {target} of {organization}',
  [`POST ${onBehalf}/portal-sessions`]: 'opened the portal of {organization}',
  [`DELETE ${onBehalf}/portal-sessions/{id}`]: 'ended the portal session {target} of {organization}',
};

/** What operators did: its page alone has these texts, which are not loaded before it. */
export const actionsText = {
  title: 'Actions',
  about: 'What operators changed, or tried to: in the console, through the admin API, and with the command.',
  sentences,
  ran: 'ran',
  anyone: 'Name of an operator',
  who: 'Who',
  what: 'What',
  anything: 'Anything',
  /** By a part of the paths. */
  kinds: {
    'top-ups': 'Top-ups',
    corrections: 'Corrections',
    refund: 'Refunds',
    reviews: 'Costs in review',
    'spend-limit': 'Spend limits',
    'api-keys': 'API keys',
    executions: 'Executions',
    webhooks: 'Webhooks',
    models: 'Models',
    queues: 'Queues',
    'portal-sessions': 'Portal',
    session: 'Sign-ins and sessions',
    holdfast: 'Commands',
  },
  refused: (status: number) => `refused (${status})`,
  failed: (status: number) => `failed (${status})`,
  unfinished: 'still running, or interrupted',
  empty: 'No actions yet',
  emptyHint: 'An action appears here when an operator changes something.',
  none: 'No action matches',
  from: 'After',
  to: 'Before',
} as const;
