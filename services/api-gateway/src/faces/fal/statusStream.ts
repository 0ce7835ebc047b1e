import { isTerminal } from '@holdfast/domain/statuses';
import { z } from 'zod';
import { endpoint } from '../../context/endpoint.ts';
import { findExecution } from '../../executions/readable.ts';
import { openEventStream } from '../eventStream.ts';
import { requestIdHeader } from './errors.ts';
import { wantsLogs } from './queue.ts';
import { logsOf, statusOf, urlsOf } from './status.ts';

/** New lines of a log come this late at most; a change of the status comes at once. */
const readEveryMs = 1000;

export const streamStatus = endpoint({
  method: 'GET',
  path: '/v1/fal/queue/{app}/requests/{id}/status/stream',
  operationId: 'streamFalStatus',
  tag: 'fal',
  summary: 'Stream the status of a request',
  scope: 'executions:read',
  limit: 'other',
  params: z.object({ app: z.string(), id: z.string() }),
  query: z.object({ logs: z.string().optional() }),
  responses: { 200: { description: 'The events', schema: null } },
  async handle({ context, caller, recheckKey, params, query, publicUrl, raw }) {
    const hasLogs = wantsLogs(query.logs);
    let execution = await findExecution(context, caller, params.id);
    const { id, organizationId } = execution;
    const urls = urlsOf(publicUrl, params.app, id);
    const stream = openEventStream({ context, caller, raw }, { [requestIdHeader]: id });
    let seen = 0;
    let before = '';
    try {
      while (!stream.over.signal.aborted) {
        const lines = logsOf(execution);
        // Clients collect the lines that are new. A log that lost its beginning has fewer than before.
        const logs = hasLogs ? lines.slice(Math.min(seen, lines.length)) : [];
        seen = lines.length;
        const status = { ...statusOf(execution, urls, false), logs };
        const text = JSON.stringify(status);
        if (text !== before) await stream.write(status);
        before = JSON.stringify({ ...status, logs: [] });
        if (isTerminal(execution.status)) break;
        const known = { id, organizationId, status: execution.status };
        // False: too many wait already, or the gateway is stopping. Clients ask again.
        if (!(await context.watcher.waitForChange(known, readEveryMs, raw.response))) return null;
        await recheckKey();
        execution = await findExecution(context, caller, id);
      }
    } finally {
      if (isTerminal(execution.status)) stream.end();
      else stream.cut();
    }
    return null;
  },
});
