import { ApiError } from '@holdfast/domain/errors';
import { z } from 'zod';
import { endpoint } from '../../context/endpoint.ts';
import { falPrefix } from './target.ts';

/** What every connection in real time begins with. Without a try of its own, each client says what is in `detail`. */
export const postRealtimeToken = endpoint({
  method: 'POST',
  path: `${falPrefix}rest/tokens`,
  operationId: 'createFalRealtimeToken',
  tag: 'fal',
  summary: 'Refuse a connection in real time',
  scope: 'executions:write',
  limit: 'other',
  body: z.looseObject({}),
  responses: { 200: { description: 'Never', schema: null } },
  async handle() {
    throw new ApiError(
      'NOT_FOUND',
      'There are no connections in real time here: use subscribe, run or stream.',
    );
  },
});
