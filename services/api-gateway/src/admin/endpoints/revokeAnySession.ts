import { revokeSession } from '@holdfast/db/operatorSessions';
import { hasRole } from '@holdfast/domain/operators';
import { z } from 'zod';
import { identityOf } from '../../access/identity.ts';
import { requireNamed } from '../../access/operators.ts';
import { keylessEndpoint } from '../../context/endpoint.ts';
import { idField, idParams, notFound, requireId } from '../../http/fields.ts';

export const revokeAnySession = keylessEndpoint({
  method: 'DELETE',
  path: '/admin/v1/sessions/{id}',
  tag: 'Sessions',
  summary: 'End a session',
  description: 'The role `admin` can end those of every operator, the others their own.',
  access: 'operator',
  limit: 'other',
  params: idParams('ses', 'id'),
  responses: {
    200: {
      description: 'The session has ended',
      schema: z.object({ id: idField('ses'), revoked: z.literal(true) }).meta({ id: 'RevokedSession' }),
    },
  },
  async handle({ context, params, raw }) {
    const { name, role } = requireNamed(identityOf(raw.response).operator);
    const id = requireId('ses', params.id, 'session');
    const isRevoked = await revokeSession(context.db, id, hasRole(role, 'admin') ? null : name);
    if (!isRevoked) throw notFound('session');
    return { status: 200, body: { id, revoked: true } };
  },
});
