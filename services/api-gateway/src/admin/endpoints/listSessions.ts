import { listSessions as readSessions } from '@holdfast/db/operatorSessions';
import { hasRole } from '@holdfast/domain/operators';
import { z } from 'zod';
import { identityOf } from '../../access/identity.ts';
import { requireNamed } from '../../access/operators.ts';
import { keylessEndpoint } from '../../context/endpoint.ts';
import { SessionRecord, sessionRecord } from '../sessionRecord.ts';

export const listSessions = keylessEndpoint({
  method: 'GET',
  path: '/admin/v1/sessions',
  tag: 'Sessions',
  summary: 'List open sessions',
  description: 'Newest first. The role `admin` sees those of every operator, the others their own.',
  access: 'operator',
  limit: 'other',
  responses: {
    200: {
      description: 'The sessions',
      schema: z.object({ data: z.array(SessionRecord) }).meta({ id: 'OperatorSessionList' }),
    },
  },
  async handle({ context, raw }) {
    const { name, role, sessionId } = requireNamed(identityOf(raw.response).operator);
    const sessions = await readSessions(context.db, hasRole(role, 'admin') ? null : name);
    return { status: 200, body: { data: sessions.map((one) => sessionRecord(one, sessionId)) } };
  },
});
