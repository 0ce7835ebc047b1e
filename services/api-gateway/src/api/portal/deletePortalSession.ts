import { revokePortalSession } from '@holdfast/db/portalSessions';
import { z } from 'zod';
import { endpoint } from '../../context/endpoint.ts';
import { idField, idParams, notFound, requireId } from '../../http/fields.ts';

export const deletePortalSession = endpoint({
  method: 'DELETE',
  path: '/v1/portal-sessions/{id}',
  operationId: 'revokePortalSession',
  tag: 'Portal',
  summary: 'End a portal session',
  description:
    'Ends the session, or its link if it was not used, at once. Ending an ended session changes nothing.',
  scope: 'portal',
  limit: 'other',
  params: idParams('pses', 'id'),
  responses: {
    200: {
      description: 'The session has ended',
      schema: z
        .object({ id: idField('pses'), revoked: z.literal(true) })
        .meta({ id: 'RevokedPortalSession' }),
    },
  },
  async handle({ context, caller, params }) {
    const id = requireId('pses', params.id, 'portal session');
    if (!(await revokePortalSession(context.db, caller.organizationId, id))) throw notFound('portal session');
    return { status: 200, body: { id, revoked: true } };
  },
});
