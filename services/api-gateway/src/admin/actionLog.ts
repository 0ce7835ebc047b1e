import { type AdminActionRow, finishAdminAction, startAdminAction } from '@holdfast/db/adminActions';
import { newId } from '@holdfast/domain/ids';
import { identityOf } from '../access/identity.ts';
import type { Endpoint, EndpointRequest } from '../context/endpoint.ts';
import type { Reply } from '../http/endpoint.ts';
import { toApiError } from '../http/errors.ts';
import { stateOf } from '../http/requestState.ts';

type Params = Record<string, string>;
type Handled = EndpointRequest<Params, unknown, unknown>;
type AdminRequest = Pick<Handled, 'context' | 'params' | 'raw'>;
type Refused = AdminRequest & { error: unknown };

/**
 * Wraps an endpoint so that the action is recorded before it runs and its status afterwards. An action that cannot be
 * recorded does not run. A request with an invalid query or body is recorded without its body, and so is one of bytes.
 * `GET` and other requests that only read are not recorded.
 */
export function recorded(of: Endpoint): Endpoint {
  if (of.method === 'GET' || of.isReading) return of;
  const handle = of.handle as (request: Handled) => ReturnType<Endpoint['handle']>;
  return {
    ...of,
    async onRefused({ error, ...request }: Refused) {
      const action = actionOf(of, request);
      try {
        await startAdminAction(request.context.db, action);
        await finishAdminAction(request.context.db, action, toApiError(error).status);
      } catch (recordError) {
        logUnrecorded(request, action, recordError);
      }
    },
    async handle(request: Handled) {
      const action = actionOf(of, request, of.rawBody ? {} : request.body);
      await startAdminAction(request.context.db, action);
      try {
        const reply = await handle(request);
        await finish(request, withCreatedId(action, reply), reply?.status ?? 200);
        return reply;
      } catch (error) {
        await finish(request, action, toApiError(error).status);
        throw error;
      }
    },
  };
}

function actionOf(
  { method, path }: Endpoint,
  { raw, params }: AdminRequest,
  body: unknown = {},
): AdminActionRow {
  const { address, requestId } = stateOf(raw.response);
  const { operator } = identityOf(raw.response);
  const ids = Object.values(params).map((value) => value.slice(0, 100));
  return {
    id: newId('act'),
    actor: operator?.name ?? 'unknown',
    address,
    requestId,
    action: `${method} ${path}`,
    organizationId: ids.find((id) => id.startsWith('org_')) ?? null,
    target: ids.find((id) => !id.startsWith('org_')) ?? null,
    details: withoutSecrets(body ?? {}),
  };
}

/** What the action created has an id only afterwards. */
function withCreatedId(action: AdminActionRow, reply: Reply | null): AdminActionRow {
  const body = reply?.body;
  const id = body !== null && typeof body === 'object' && 'id' in body ? body.id : null;
  if (typeof id !== 'string') return action;
  if (id.startsWith('org_')) return { ...action, organizationId: action.organizationId ?? id };
  return { ...action, target: action.target ?? id };
}

/** The action already happened, so failing to record its status must not fail the request. */
async function finish(request: AdminRequest, action: AdminActionRow, status: number): Promise<void> {
  try {
    await finishAdminAction(request.context.db, action, status);
  } catch (error) {
    logUnrecorded(request, action, error);
  }
}

function logUnrecorded({ context }: AdminRequest, { requestId }: AdminActionRow, error: unknown): void {
  context.log.error({ err: error, requestId }, 'could not record the status of an admin action');
}

/** Can be erased, so no copy of it may stay here. */
const erasableName = /^(input|metadata|webhook_url)$/;
const secretName = /secret|token|password|authorization|headers|^(new_)?key$/i;

function withoutSecrets(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutSecrets);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [
      name,
      secretName.test(name) || erasableName.test(name) ? '[hidden]' : withoutSecrets(one),
    ]),
  );
}
