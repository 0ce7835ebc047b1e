import { revokeSession } from '@holdfast/db/operatorSessions';
import { identityOf } from '../../access/identity.ts';
import { sessionCookie } from '../../access/operatorCookies.ts';
import { requireNamed } from '../../access/operators.ts';
import { keylessEndpoint } from '../../context/endpoint.ts';
import { CurrentSession } from '../sessionRecord.ts';

export const deleteSession = keylessEndpoint({
  method: 'DELETE',
  path: '/admin/v1/session',
  tag: 'Sessions',
  summary: 'Sign out of the console',
  access: 'operator',
  limit: 'other',
  responses: { 200: { description: 'The session has ended', schema: CurrentSession } },
  async handle({ context, raw }) {
    const { name, role, sessionId } = requireNamed(identityOf(raw.response).operator);
    if (sessionId !== null) await revokeSession(context.db, sessionId, name);
    const headers = { 'Set-Cookie': sessionCookie(raw.request, null) };
    return { status: 200, body: { id: sessionId, actor: name, role }, headers };
  },
});
