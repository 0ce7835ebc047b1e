import type { ModelDefinition } from '@holdfast/domain/modelDefinition';
import { isTerminal } from '@holdfast/domain/statuses';
import type { ReplicateDialect } from '@holdfast/domain/webhookDialect';
import { findExecution } from '../../executions/readable.ts';
import type { Reply } from '../../http/endpoint.ts';
import { preferredWaitS } from '../../http/requestHeaders.ts';
import { stateOf } from '../../http/requestState.ts';
import { createInput } from '../inputFiles.ts';
import { createWithFiles } from '../requestFiles.ts';
import { type Created, costHeaders, createFrom, type FaceCall } from '../run.ts';
import { type PredictionBody, refuseKeyIn, timeoutS } from './createBody.ts';
import { nameOf, versionsOf } from './names.ts';
import { ownFile } from './output.ts';
import { predictionOf } from './prediction.ts';

/** Python's client gives up half a second after the time that it asked for. */
const aheadMs = 500;

type Call = FaceCall & { publicUrl: string };

/**
 * Creates an execution, and waits for its end as `Prefer` asks. Whatever happens after that, the response is one that names
 * it: both clients would repeat the request, or lose what they pay for.
 */
export async function createPrediction(
  call: Call,
  definition: ModelDefinition,
  body: PredictionBody,
): Promise<Reply> {
  const { headers } = call;
  refuseKeyIn(body, headers.authorization);
  const timeout = timeoutS(headers['cancel-after']);
  const repeated = { ...body, model: definition.slug };
  const created = await createWithFiles(call, (files) => {
    const input = createInput(definition, body.input, files, (url) => ownFile(call, url));
    const terms = { webhookDialect: body.webhook ? dialectOf(call, definition, body) : null };
    return createFrom({ ...call, terms }, 'POST /v1/replicate/predictions', repeated, async () => ({
      model: definition.slug,
      input: await input(),
      ...(body.webhook && { webhook_url: body.webhook }),
      ...(timeout !== undefined && { timeout_seconds: timeout }),
      // Clients may stream any prediction of a model that streams, without saying so before.
      ...(definition.stream === 'text' && body.stream !== false && { stream: true }),
    }));
  });
  return await replyWith(call, created);
}

function dialectOf(
  { publicUrl }: Call,
  definition: ModelDefinition,
  { webhook_events_filter: wanted }: PredictionBody,
): ReplicateDialect {
  const { owner, name } = nameOf(definition);
  // A model has no news of a log that clients may not read.
  const events = (['start', 'output', 'logs', 'completed'] as const).filter(
    (event) => event !== 'logs' || definition.show_to_clients.includes('logs'),
  );
  return {
    name: 'replicate',
    events: events.filter((event) => wanted?.includes(event) ?? true),
    model: `${owner}/${name}`,
    version: versionsOf(definition)[0],
    base: `${publicUrl}/v1/replicate`,
  };
}

/** Apart from the create, whose closures keep the body of the request. */
async function replyWith(call: Call, created: Created): Promise<Reply> {
  const { context, caller, headers } = call;
  const { id } = created.execution;
  const execution = await findExecution(context, { ...caller, token: null }, id);
  const accepted: Reply = {
    status: 201,
    body: await predictionOf(call, execution, { isNew: true }),
    headers: { ...created.headers, ...costHeaders(execution) },
  };
  const elapsedMs = performance.now() - stateOf(call.raw.response).startedAt;
  const waitMs = preferredWaitS(headers['prefer']) * 1000 - aheadMs - elapsedMs;
  const mayWait = waitMs > 0 && caller.scopes.includes('executions:read') && !isTerminal(execution.status);
  return mayWait ? { ...accepted, wait: () => waited(call, created, accepted, waitMs) } : accepted;
}

async function waited(
  call: Call,
  { execution: { id, status } }: Created,
  accepted: Reply,
  waitMs: number,
): Promise<Reply | null> {
  const { context, caller, recheckKey, raw } = call;
  const { organizationId } = caller;
  const hasWaited = await context.watcher.waitForEnd({ id, status, organizationId }, waitMs, raw.response);
  if (raw.response.destroyed) return null;
  if (!hasWaited) return accepted;
  try {
    await recheckKey();
    const execution = await findExecution(context, caller, id);
    const body = await predictionOf(call, execution, { isNew: true });
    return { ...accepted, body, headers: { ...accepted.headers, ...costHeaders(execution) } };
  } catch (error) {
    context.log.warn({ err: error, executionId: id }, 'could not read an execution after waiting');
    return accepted;
  }
}
