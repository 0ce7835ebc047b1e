import { identityOf } from '../../access/identity.ts';
import { requireNamed } from '../../access/operators.ts';
import { keylessEndpoint } from '../../context/endpoint.ts';
import { CurrentSession } from '../sessionRecord.ts';

export const getSession = keylessEndpoint({
  method: 'GET',
  path: '/admin/v1/session',
  tag: 'Sessions',
  summary: 'Read who is signed in',
  access: 'operator',
  limit: 'other',
  responses: { 200: { description: 'The operator and their role', schema: CurrentSession } },
  async handle({ raw, context: { config } }) {
    const { name, role, sessionId } = requireNamed(identityOf(raw.response).operator);
    return {
      status: 200,
      body: { id: sessionId, actor: name, role, environment: config.ENVIRONMENT_NAME ?? null },
    };
  },
});
