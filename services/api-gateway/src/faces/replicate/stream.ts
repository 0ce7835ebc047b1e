import { ApiError } from '@holdfast/domain/errors';
import type { Execution } from '@holdfast/domain/execution';
import { z } from 'zod';
import { endpoint } from '../../context/endpoint.ts';
import { findExecution } from '../../executions/readable.ts';
import { toApiError } from '../../http/errors.ts';
import { doneId, followOutput, wholeOf } from '../../watching/outputStream.ts';
import { openEventStream } from '../eventStream.ts';

/** Streams a prediction by Replicate's events: `output`, `logs`, `error` and `done`. Their ids continue a broken stream. */
export const streamPrediction = endpoint({
  method: 'GET',
  path: '/v1/replicate/predictions/{id}/stream',
  operationId: 'streamReplicatePrediction',
  tag: 'Replicate',
  summary: 'Stream the output of a prediction',
  scope: 'executions:read',
  allowsTokens: true,
  limit: 'other',
  params: z.object({ id: z.string() }),
  query: z.object({ token: z.string().optional() }),
  responses: { 200: { description: 'The events', schema: null } },
  async handle({ context, caller, params, headers, raw }) {
    const read = () => findExecution(context, caller, params.id);
    const { id } = await read();
    const after = positionOf(headers['last-event-id']?.toString());
    const stream = openEventStream({ context, caller, raw }, {});
    try {
      const events = followOutput({ ...context, id, after, over: stream.over });
      let position = after;
      let next = await events.next();
      for (; !next.done; next = await events.next()) {
        const { number, type, data } = next.value;
        if (type === 'reset' && position > 0)
          throw new ApiError('GENERATION_FAILED', 'The output begins again.');
        const text = type === 'output' || type === 'logs' ? textOf(JSON.parse(data)) : null;
        if (text !== null) await stream.write(text, type, number);
        position = number;
      }
      const page = next.value;
      if (page === null) stream.cut();
      else {
        const execution = await read();
        const whole = !page.total || page.isCleared ? wholeOf(execution) : null;
        const last = doneId(page) - 1;
        if (typeof whole === 'string' && position < last) await stream.write(whole, 'output', last);
        await writeEnd(execution, (data, event) => stream.write(data, event, last + 1));
      }
    } catch (error) {
      await stream.write({ detail: toApiError(error).message }, 'error');
    } finally {
      stream.end();
    }
    return null;
  },
});

async function writeEnd(
  { status, errorMessage }: Execution,
  write: (data: object, event: string) => Promise<void>,
): Promise<void> {
  if (status === 'COMPLETED') return await write({}, 'done');
  if (status === 'CANCELLED') return await write({ reason: 'canceled' }, 'done');
  const detail = status === 'EXPIRED' ? 'Deadline exceeded' : (errorMessage ?? 'The prediction failed.');
  await write({ detail }, 'error');
  await write({ reason: 'error' }, 'done');
}

/** A piece of output, or lines of a log. */
function textOf({ delta, lines }: { delta?: unknown; lines?: unknown }): string | null {
  if (typeof delta === 'string') return delta === '' ? null : delta;
  return Array.isArray(lines) ? lines.join('\n') : null;
}

function positionOf(id: string | undefined): number {
  return id !== undefined && /^\d{1,9}$/.test(id) ? Number(id) : 0;
}
