import { getExecutionWithAttempts } from '@holdfast/db/executions/read';
import { ApiError } from '@holdfast/domain/errors';
import type { Execution } from '@holdfast/domain/execution';
import type { ModelDefinition } from '@holdfast/domain/modelDefinition';
import { cancelUnlessEnded, erase } from '@holdfast/executions/lifecycle';
import { z } from 'zod';
import type { Caller } from '../../access/identity.ts';
import type { Context } from '../../context/context.ts';
import { endpoint } from '../../context/endpoint.ts';
import type { Reply } from '../../http/endpoint.ts';
import { integerParameter, notFound } from '../../http/fields.ts';
import { takeStreamSlot } from '../eventStream.ts';
import { fileLimits } from '../requestFiles.ts';
import { type Created, costHeaders, type FaceCall, whenCompleted } from '../run.ts';
import { type ChatMessage, takesMessages } from './completion.ts';
import { inputItemsPage, inputItemsQuery } from './inputItems.ts';
import { withReferencedItems } from './itemReferences.ts';
import { atPlace, findMapped, mapped, nameOf, refused } from './mapping.ts';
import { createFromMessages } from './messages.ts';
import { requireNamed } from './models.ts';
import {
  callsOf,
  executionIdOf,
  messagesIn,
  type Repeated,
  responseBody,
  responseInput,
  responseOf,
  textOfOutput,
  unsupported,
} from './response.ts';
import { streamResponse } from './responseStream.ts';

const params = z.object({ id: z.string() });
const tag = 'OpenAI';
const responses = { 200: { description: 'The response', schema: null } };
const route = '/v1/openai/responses';

export const postResponse = endpoint({
  method: 'POST',
  path: route,
  operationId: 'createOpenaiResponse',
  tag,
  summary: 'Create a response',
  scope: 'executions:write',
  limit: 'create',
  body: responseBody,
  maxJsonBytes: fileLimits.maxJsonBytes,
  responses,
  async handle({ body, ...call }) {
    const { context, caller } = call;
    const { definition } = await requireNamed(context, caller, body.model, 'chat');
    const isStreamed = body.stream === true;
    if (isStreamed) takeStreamSlot(call);
    const earlier = await messagesBefore(context, caller, definition, body.previous_response_id ?? null);
    const input = await withReferencedItems(body.input, (id) => findResponse(context, caller, id));
    const created = await createFromMessages(call, {
      route: `POST ${route}`,
      body,
      definition,
      messages: messagesIn({ input }),
      request: (messages) => ({
        model: definition.slug,
        input: responseInput(definition, body, [...earlier, ...messages]),
        ...(body.metadata && { metadata: body.metadata }),
        ...(isStreamed && definition.stream === 'text' && { stream: true }),
      }),
    });
    const { model, background, instructions, previous_response_id, max_output_tokens } = body;
    const repeated = { model, background, instructions, previous_response_id, max_output_tokens };
    return await replyWith(call, created, repeated, isStreamed);
  },
});

/** Apart from `handle`, whose closures keep the body of the request. */
async function replyWith(
  call: FaceCall,
  created: Created,
  repeated: Repeated,
  isStreamed: boolean,
): Promise<Reply> {
  const { context, caller } = call;
  const { id } = created.execution;
  if (isStreamed) {
    const { headers } = created;
    return { status: 200, body: null, wait: () => streamResponse(call, id, repeated, { headers }) };
  }
  if (repeated.background !== true)
    return whenCompleted(call, created, async (execution) =>
      responseOf(await mapped(context, execution, 'chat'), repeated),
    );
  const execution = await findMapped(context, caller, id, 'chat');
  return { status: 200, body: responseOf(execution, repeated), headers: created.headers };
}

/** The conversation up to a response. @throws ApiError NOT_FOUND, or for one that has not completed */
export async function messagesBefore(
  context: Context,
  caller: Caller,
  definition: ModelDefinition,
  id: string | null,
): Promise<ChatMessage[]> {
  if (id === null) return [];
  if (!takesMessages(definition))
    throw unsupported('previous_response_id', 'The model does not take earlier messages.');
  const execution = await findResponse(context, caller, id).catch((error: unknown) => {
    if (!(error instanceof ApiError) || error.code !== 'NOT_FOUND') throw error;
    const message = `There is no response ${id}.`;
    throw refused('previous_response_id', message, 'previous_response_not_found');
  });
  if (execution.status !== 'COMPLETED')
    throw unsupported('previous_response_id', `The response ${id} has not completed.`);
  const calls = callsOf(execution);
  const content = textOfOutput(execution) || (calls.length > 0 ? null : '');
  const answer = { role: 'assistant', content, ...(calls.length > 0 && { tool_calls: calls }) };
  return [...(await messagesOf(context, execution)), answer];
}

/** What a model was sent. */
async function messagesOf({ db, models }: Context, { id, model }: Execution): Promise<ChatMessage[]> {
  const input = (await getExecutionWithAttempts(db, id))?.execution.input ?? {};
  const definition = (await models.get(model))?.definition;
  const sent = (field: string) => atPlace(input, (definition && nameOf(definition, 'chat', field)) ?? field);
  const [messages, prompt, system] = ['messages', 'prompt', 'system'].map(sent);
  if (Array.isArray(messages)) return messages as ChatMessage[];
  const said = typeof prompt === 'string' ? [{ role: 'user', content: prompt }] : [];
  return [...(typeof system === 'string' ? [{ role: 'system', content: system }] : []), ...said];
}

/** @throws ApiError NOT_FOUND, also for a response that was deleted */
async function findResponse(context: Context, caller: Caller, id: string): Promise<Execution> {
  const executionId = executionIdOf(id);
  const execution = executionId === null ? null : await findMapped(context, caller, executionId, 'chat');
  if (execution === null || execution.erasedAt !== null) throw notFound('response');
  return execution;
}

export const getResponse = endpoint({
  method: 'GET',
  path: `${route}/{id}`,
  operationId: 'getOpenaiResponse',
  tag,
  summary: 'Read a response',
  scope: 'executions:read',
  limit: 'other',
  params,
  query: z.object({
    stream: z.stringbool().default(false),
    starting_after: integerParameter({ min: -1, max: 2_147_483_647, default: -1 }),
    include: z.string().optional(),
    'include[]': z.string().optional(),
  }),
  responses,
  async handle(call) {
    const { context, caller, params: of, query } = call;
    const execution = await findResponse(context, caller, of.id);
    if (!query.stream) return { status: 200, body: responseOf(execution), headers: costHeaders(execution) };
    return await streamResponse(call, execution.id, {}, { after: query.starting_after });
  },
});

export const postCancelResponse = endpoint({
  method: 'POST',
  path: `${route}/{id}/cancel`,
  operationId: 'cancelOpenaiResponse',
  tag,
  summary: 'Cancel a response',
  scope: 'executions:write',
  limit: 'other',
  params,
  responses,
  async handle({ context, caller, params: of }) {
    const { id } = await findResponse(context, caller, of.id);
    // One that has ended stays as it is, as at OpenAI.
    const execution = await cancelUnlessEnded(context, caller.organizationId, id);
    const ended = await mapped(context, execution, 'chat');
    return { status: 200, body: responseOf(ended), headers: costHeaders(ended) };
  },
});

export const deleteResponse = endpoint({
  method: 'DELETE',
  path: `${route}/{id}`,
  operationId: 'deleteOpenaiResponse',
  tag,
  summary: 'Delete a response',
  scope: 'executions:write',
  limit: 'other',
  params,
  responses,
  async handle({ context, caller, params: of }) {
    const { id } = await findResponse(context, caller, of.id);
    await erase(context.db, caller.organizationId, id);
    return { status: 200, body: { id: of.id, object: 'response', deleted: true } };
  },
});

export const listResponseInput = endpoint({
  method: 'GET',
  path: `${route}/{id}/input_items`,
  operationId: 'listOpenaiResponseInput',
  tag,
  summary: 'List the input of a response',
  scope: 'executions:read',
  limit: 'other',
  params,
  query: inputItemsQuery,
  responses,
  async handle({ context, caller, params: of, query }) {
    const execution = await findResponse(context, caller, of.id);
    const messages = await messagesOf(context, execution);
    return { status: 200, body: inputItemsPage(execution.id, messages, query) };
  },
});
