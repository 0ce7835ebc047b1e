import { ApiError } from '@holdfast/domain/errors';
import { hasRole, type OperatorRole } from '@holdfast/domain/operators';
import { identityOf } from '../access/identity.ts';
import { requireNamed } from '../access/operators.ts';
import type { Endpoint, EndpointRequest } from '../context/endpoint.ts';

const organization = '/admin/v1/organizations/{id}';
const onBehalf = '/admin/v1/organizations/{organization_id}';

/** The role that each change needs. Every role may read. */
const neededRoles: Readonly<Record<string, OperatorRole>> = {
  'DELETE /admin/v1/session': 'viewer',
  'DELETE /admin/v1/sessions/{id}': 'viewer',
  'POST /admin/v1/sign-in-links': 'viewer',
  'POST /admin/v1/executions/{id}/cancel': 'support',
  [`POST ${onBehalf}/webhooks/deliveries/{id}/redeliver`]: 'support',
  [`POST ${onBehalf}/webhooks/endpoints/{id}/recover`]: 'support',
  [`POST ${onBehalf}/webhooks/endpoints`]: 'admin',
  [`PATCH ${onBehalf}/webhooks/endpoints/{id}`]: 'support',
  [`POST ${onBehalf}/webhooks/endpoints/{id}/test`]: 'support',
  [`POST ${onBehalf}/webhooks/endpoints/{id}/rotate-secret`]: 'admin',
  'POST /admin/v1/webhooks/deliveries/recover': 'support',
  [`POST ${onBehalf}/executions/estimate`]: 'viewer',
  [`POST ${onBehalf}/executions`]: 'admin',
  [`POST ${onBehalf}/executions/bulk-cancel`]: 'support',
  [`POST ${onBehalf}/executions/bulk-rerun`]: 'admin',
  [`POST ${onBehalf}/batches/{id}/pause`]: 'support',
  [`POST ${onBehalf}/batches/{id}/cancel`]: 'support',
  [`POST ${onBehalf}/batches/{id}/resume`]: 'admin',
  [`POST ${onBehalf}/batches/{id}/retry`]: 'admin',
  'POST /admin/v1/executions/{id}/rerun': 'admin',
  'POST /admin/v1/executions/{id}/refund': 'admin',
  [`POST ${onBehalf}/files`]: 'admin',
  'POST /admin/v1/models/check': 'viewer',
  'PUT /admin/v1/models/{slug}': 'admin',
  'PATCH /admin/v1/models/{slug}': 'admin',
  'POST /admin/v1/queues/{queue}/retry': 'support',
  'POST /admin/v1/ledger/audit': 'support',
  'PUT /admin/v1/queues/{queue}/pause': 'admin',
  'DELETE /admin/v1/queues/{queue}/pause': 'admin',
  [`DELETE ${onBehalf}/executions/{id}`]: 'admin',
  'POST /admin/v1/organizations': 'admin',
  [`PATCH ${organization}`]: 'admin',
  [`POST ${organization}/top-ups`]: 'admin',
  [`POST ${organization}/corrections`]: 'admin',
  'POST /admin/v1/reviews/{id}/accept': 'admin',
  'POST /admin/v1/reviews/{id}/write-off': 'admin',
  [`PUT ${organization}/spend-limit`]: 'admin',
  [`DELETE ${organization}/spend-limit`]: 'admin',
  [`POST ${organization}/api-keys`]: 'admin',
  [`PUT ${organization}/api-keys/{key_id}/spend-limit`]: 'admin',
  [`DELETE ${organization}/api-keys/{key_id}/spend-limit`]: 'admin',
  [`POST ${onBehalf}/portal-sessions`]: 'admin',
  [`DELETE ${onBehalf}/portal-sessions/{id}`]: 'admin',
  [`POST ${onBehalf}/api-keys/{id}/rotate`]: 'admin',
  [`DELETE ${onBehalf}/api-keys/{id}`]: 'admin',
};

type Handled = EndpointRequest<never, never, unknown>;

const changesEndpoint = `PATCH ${onBehalf}/webhooks/endpoints/{id}`;

/** To switch an endpoint on or off helps a client; what it receives, how fast and with which headers is theirs to decide. */
function roleFor(endpoint: string, needed: OperatorRole, body: unknown): OperatorRole {
  const isMore = Object.keys(body ?? {}).some((field) => field !== 'is_active');
  return endpoint === changesEndpoint && isMore ? 'admin' : needed;
}

/** Refuses operators without the role that the endpoint needs. @throws when the table has no role for it */
export function permitted(of: Endpoint): Endpoint {
  const name = `${of.method} ${of.path}`;
  const least = of.method === 'GET' ? 'viewer' : neededRoles[name];
  if (!least) throw new Error(`no role is set for ${name}`);
  return {
    ...of,
    async handle(request: Handled) {
      const needed = roleFor(name, least, request.body);
      const { role } = requireNamed(identityOf(request.raw.response).operator);
      if (!hasRole(role, needed)) {
        throw new ApiError('FORBIDDEN', `This needs the role \`${needed}\`; you have \`${role}\`.`);
      }
      return await of.handle(request as never);
    },
  };
}
