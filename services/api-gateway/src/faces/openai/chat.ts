import { z } from 'zod';
import { endpoint } from '../../context/endpoint.ts';
import { type ChunkShape, streamChat } from './chatStream.ts';
import { chatBody, chatInput, completionOf, textCompletionId, textCompletionOf } from './completion.ts';
import { requireNamed } from './models.ts';
import { completed, costHeaders, createFrom } from './run.ts';

export const postChatCompletion = endpoint({
  method: 'POST',
  path: '/v1/openai/chat/completions',
  operationId: 'createOpenaiChatCompletion',
  tag: 'OpenAI',
  summary: 'Create a chat completion',
  scope: 'executions:write',
  limit: 'create',
  body: chatBody,
  responses: { 200: { description: 'The completion', schema: null } },
  async handle(call) {
    const { context, caller, body } = call;
    const { definition } = await requireNamed(context, caller, body.model);
    const isStreamed = body.stream === true;
    const created = await createFrom(call, 'POST /v1/openai/chat/completions', body, () => ({
      model: definition.slug,
      input: chatInput(definition, body),
      ...(isStreamed && definition.stream === 'text' && { stream: true }),
    }));
    return {
      status: 200,
      body: null,
      wait: async () => {
        if (isStreamed) return await streamChat(call, created, body);
        const execution = await completed(call, created);
        if (execution === null) return null;
        const headers = { ...created.headers, ...costHeaders(execution) };
        return { status: 200, body: completionOf(execution, body.model), headers };
      },
    };
  },
});

const textChunks: ChunkShape = {
  object: 'text_completion',
  idOf: textCompletionId,
  choice: ({ content }) => ({ text: typeof content === 'string' ? content : '' }),
};

const promptBody = chatBody.omit({ messages: true }).extend({
  prompt: z.union([z.string().min(1), z.array(z.string()).length(1)]),
});

/** The older API, which frameworks still use for models that complete a text. */
export const postCompletion = endpoint({
  method: 'POST',
  path: '/v1/openai/completions',
  operationId: 'createOpenaiCompletion',
  tag: 'OpenAI',
  summary: 'Complete a prompt',
  scope: 'executions:write',
  limit: 'create',
  body: promptBody,
  responses: { 200: { description: 'The completion', schema: null } },
  async handle(call) {
    const { context, caller, body } = call;
    const { definition } = await requireNamed(context, caller, body.model);
    const { prompt, ...rest } = body;
    const isStreamed = body.stream === true;
    const created = await createFrom(call, 'POST /v1/openai/completions', body, () => ({
      model: definition.slug,
      input: chatInput(definition, {
        ...rest,
        messages: [{ role: 'user', content: [prompt].flat().join('') }],
      }),
      ...(isStreamed && definition.stream === 'text' && { stream: true }),
    }));
    return {
      status: 200,
      body: null,
      wait: async () => {
        if (isStreamed) return await streamChat(call, created, body, textChunks);
        const execution = await completed(call, created);
        if (execution === null) return null;
        const headers = { ...created.headers, ...costHeaders(execution) };
        return { status: 200, body: textCompletionOf(execution, body.model), headers };
      },
    };
  },
});
