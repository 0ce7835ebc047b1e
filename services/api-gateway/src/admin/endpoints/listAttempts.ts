import { getAttempts } from '@holdfast/db/executions/read';
import { z } from 'zod';
import { keylessEndpoint } from '../../context/endpoint.ts';
import { idParams, notFound, requireId } from '../../http/fields.ts';
import { AttemptRecord, attemptRecord } from '../attemptRecord.ts';

export const listAttempts = keylessEndpoint({
  method: 'GET',
  path: '/admin/v1/executions/{id}/attempts',
  tag: 'Executions',
  summary: "List an execution's attempts at its model's providers",
  access: 'operator',
  limit: 'other',
  params: idParams('exec', 'id'),
  responses: {
    200: {
      description: 'The attempts, first to last',
      schema: z.object({ data: z.array(AttemptRecord) }).meta({ id: 'AttemptList' }),
    },
  },
  async handle({ context, params }) {
    const attempts = await getAttempts(context.db, requireId('exec', params.id, 'execution'));
    if (!attempts) throw notFound('execution');
    return { status: 200, body: { data: attempts.map(attemptRecord) } };
  },
});
