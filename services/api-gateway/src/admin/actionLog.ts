import { type AdminActionRow, finishAdminAction, startAdminAction } from '@holdfast/db/adminActions';
import { newId } from '@holdfast/domain/ids';
import type { Endpoint, EndpointRequest, Reply } from '../http/endpoint.ts';
import { toApiError } from '../http/errors.ts';
import { stateOf } from '../http/requestState.ts';

type Params = Record<string, string>;
type Handled = EndpointRequest<Params, unknown, unknown>;
type Asked = Pick<Handled, 'context' | 'params' | 'raw'>;
type Refused = Asked & { error: unknown };

/**
 * The endpoint, which writes down what it is asked to do before it does it, and then what came of it. What can't be
 * written down is not done. Of a request whose query or body is refused that much is written down, without the body.
 * Endpoints that change nothing are left as they are.
 */
export function recorded(of: Endpoint): Endpoint {
  if (of.method === 'GET') return of;
  const handle = of.handle as (request: Handled) => ReturnType<Endpoint['handle']>;
  return {
    ...of,
    async refused({ error, ...asked }: Refused) {
      const action = actionOf(of, asked);
      try {
        await startAdminAction(asked.context.db, action);
        await finishAdminAction(asked.context.db, action, toApiError(error).status);
      } catch (unwritten) {
        report(asked, action, unwritten);
      }
    },
    async handle(request: Handled) {
      const action = actionOf(of, request, request.body);
      await startAdminAction(request.context.db, action);
      try {
        const reply = await handle(request);
        await end(request, withNew(action, reply), reply?.status ?? 200);
        return reply;
      } catch (error) {
        await end(request, action, toApiError(error).status);
        throw error;
      }
    },
  };
}

function actionOf({ method, path }: Endpoint, { raw, params }: Asked, body: unknown = {}): AdminActionRow {
  const { operator, address, requestId } = stateOf(raw.response);
  const ids = Object.values(params).map((value) => value.slice(0, 100));
  return {
    id: newId('act'),
    actor: operator ?? 'unknown',
    address,
    requestId,
    action: `${method} ${path}`,
    organizationId: ids.find((id) => id.startsWith('org_')) ?? null,
    target: ids.find((id) => !id.startsWith('org_')) ?? null,
    details: withoutSecrets(body ?? {}),
  };
}

/** What was made has its id only now. */
function withNew(action: AdminActionRow, reply: Reply | null): AdminActionRow {
  const body = reply?.body;
  const id = body !== null && typeof body === 'object' && 'id' in body ? body.id : null;
  if (typeof id !== 'string') return action;
  if (id.startsWith('org_')) return { ...action, organizationId: action.organizationId ?? id };
  return { ...action, target: action.target ?? id };
}

/** It is done: that this could not be written down too must not make it look undone. The first row tells of it. */
async function end(asked: Asked, action: AdminActionRow, status: number): Promise<void> {
  try {
    await finishAdminAction(asked.context.db, action, status);
  } catch (error) {
    report(asked, action, error);
  }
}

function report({ context }: Asked, { requestId }: AdminActionRow, error: unknown): void {
  context.log.error({ err: error, requestId }, 'what came of an admin action is not recorded');
}

const secretName = /secret|token|password|authorization|headers|^(new_)?key$/i;

function withoutSecrets(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutSecrets);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [
      name,
      secretName.test(name) ? '[hidden]' : withoutSecrets(one),
    ]),
  );
}
