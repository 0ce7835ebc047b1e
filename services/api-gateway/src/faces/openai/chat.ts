import { endpoint } from '../../context/endpoint.ts';
import { streamChat } from './chatStream.ts';
import { chatBody, chatInput, completionOf } from './completion.ts';
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
