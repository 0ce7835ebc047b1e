import { z } from 'zod';
import { endpoint } from '../../context/endpoint.ts';
import { takeStreamSlot } from '../eventStream.ts';
import { fileLimits } from '../requestFiles.ts';
import { whenCompleted } from '../run.ts';
import { requireApp } from './apps.ts';
import { outputOf } from './output.ts';
import { streamRun } from './stream.ts';
import { submit } from './submit.ts';

const common = {
  method: 'POST',
  tag: 'fal',
  scope: 'executions:write',
  limit: 'create',
  maxJsonBytes: fileLimits.maxJsonBytes,
  params: z.object({ app: z.string() }),
  body: z.looseObject({}),
  responses: { 200: { description: 'The output of the model', schema: null } },
} as const;

export const postRun = endpoint({
  ...common,
  path: '/v1/fal/run/{app}',
  operationId: 'runFalApp',
  summary: 'Run a model and wait for its output',
  async handle({ params, body, ...call }) {
    const definition = await requireApp(call.context, call.caller, params.app);
    const created = await submit(call, { route: 'POST /v1/fal/run', definition, input: body });
    return whenCompleted(call, created, (execution) => outputOf(call, execution));
  },
});

export const postStream = endpoint({
  ...common,
  path: '/v1/fal/run/{app}/stream',
  operationId: 'streamFalApp',
  summary: 'Run a model and stream its output',
  async handle({ params, body, ...call }) {
    const definition = await requireApp(call.context, call.caller, params.app);
    takeStreamSlot(call);
    const isStreamed = definition.stream === 'text';
    const route = 'POST /v1/fal/run/stream';
    const created = await submit(call, { route, definition, input: body, isStreamed });
    return { status: 200, body: null, wait: () => streamRun(call, created) };
  },
});
