import { type PortalCapability, portalCapabilities } from '@holdfast/domain/portal';
import type { Endpoint } from '../http/endpoint.ts';

/** The endpoints that each capability opens to a session. Everything else is refused, whatever its key may do. */
export const callsOf: Readonly<Record<PortalCapability, readonly string[]>> = {
  executions: [
    'GET /v1/executions',
    'GET /v1/executions/{id}',
    'GET /v1/executions/{id}/input',
    'GET /v1/executions/{id}/result',
    'GET /v1/executions/{id}/events',
    'GET /v1/executions/{id}/stream',
    'POST /v1/executions/{id}/cancel',
    'GET /v1/batches',
    'GET /v1/batches/{id}',
    'POST /v1/batches/{id}/pause',
    'POST /v1/batches/{id}/resume',
    'POST /v1/batches/{id}/cancel',
    'POST /v1/batches/{id}/retry',
    'GET /v1/models',
    'GET /v1/files/{file_id}',
    'GET /v1/files/{file_id}/download',
  ],
  webhooks: [
    'GET /v1/webhooks/endpoints',
    'POST /v1/webhooks/endpoints',
    'GET /v1/webhooks/endpoints/{id}',
    'GET /v1/webhooks/endpoints/{id}/activity',
    'GET /v1/webhooks/endpoints/{id}/backlog',
    'PATCH /v1/webhooks/endpoints/{id}',
    'DELETE /v1/webhooks/endpoints/{id}',
    'POST /v1/webhooks/endpoints/{id}/rotate-secret',
    'POST /v1/webhooks/endpoints/{id}/test',
    'GET /v1/webhooks/endpoints/{id}/deliveries',
    'POST /v1/webhooks/endpoints/{id}/recover',
    'GET /v1/webhooks/deliveries',
    'GET /v1/webhooks/deliveries/{id}',
    'POST /v1/webhooks/deliveries/{id}/redeliver',
  ],
  keys: [
    'GET /v1/api-keys',
    'POST /v1/api-keys',
    'POST /v1/api-keys/{id}/rotate',
    'DELETE /v1/api-keys/{id}',
  ],
  usage: ['GET /v1/balance', 'GET /v1/balance/transactions', 'GET /v1/usage'],
  topup: ['GET /v1/balance'],
};

const capabilitiesByCall = new Map<string, PortalCapability[]>();
for (const capability of portalCapabilities) {
  for (const call of callsOf[capability]) {
    capabilitiesByCall.set(call, [...(capabilitiesByCall.get(call) ?? []), capability]);
  }
}

/** The session itself is open to all. */
const ownCalls: ReadonlySet<string> = new Set(['GET /v1/portal-session', 'DELETE /v1/portal-session']);

export function mayCall(
  capabilities: readonly PortalCapability[],
  { method, path }: Pick<Endpoint, 'method' | 'path'>,
): boolean {
  const call = `${method} ${path}`;
  const opening = capabilitiesByCall.get(call) ?? [];
  return ownCalls.has(call) || opening.some((capability) => capabilities.includes(capability));
}
