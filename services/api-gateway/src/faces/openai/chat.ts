import type { Execution } from '@holdfast/domain/execution';
import type { ModelDefinition } from '@holdfast/domain/modelDefinition';
import { z } from 'zod';
import { endpoint } from '../../context/endpoint.ts';
import type { Reply } from '../../http/endpoint.ts';
import { takeStreamSlot } from '../eventStream.ts';
import { fileLimits } from '../requestFiles.ts';
import { type Created, createFrom, type FaceCall, whenCompleted } from '../run.ts';
import { type ChunkShape, chatChunks, streamChat } from './chatStream.ts';
import {
  type ChatBody,
  chatBody,
  chatInput,
  completionOf,
  textCompletionId,
  textCompletionOf,
} from './completion.ts';
import { mapped } from './mapping.ts';
import { createFromMessages } from './messages.ts';
import { requireNamed } from './models.ts';

/** What a reply repeats of its request, whose body is released before the wait. */
type About = Pick<ChatBody, 'model' | 'stream_options'> & { isStreamed: boolean };

function aboutOf({
  model,
  stream_options: options,
  stream,
}: Pick<ChatBody, 'model' | 'stream_options' | 'stream'>): About {
  return { model, stream_options: options, isStreamed: stream === true };
}

type Completions = {
  chunks: ChunkShape;
  whole(executions: [Execution, ...Execution[]], model: string): object;
};

const chatCompletions: Completions = { chunks: chatChunks, whole: completionOf };

const textCompletions: Completions = {
  chunks: {
    object: 'text_completion',
    idOf: textCompletionId,
    choice: ({ content }) => ({ text: typeof content === 'string' ? content : '' }),
  },
  whole: textCompletionOf,
};

function replyWith(call: FaceCall, created: Created, about: About, { chunks, whole }: Completions): Reply {
  if (about.isStreamed)
    return { status: 200, body: null, wait: () => streamChat(call, created, about, chunks) };
  const read = (execution: Execution) => mapped(call.context, execution, 'chat');
  return whenCompleted(call, created, async (first, ...others) =>
    whole([await read(first), ...(await Promise.all(others.map(read)))], about.model),
  );
}

export const postChatCompletion = endpoint({
  method: 'POST',
  path: '/v1/openai/chat/completions',
  operationId: 'createOpenaiChatCompletion',
  tag: 'OpenAI',
  summary: 'Create a chat completion',
  scope: 'executions:write',
  limit: 'create',
  body: chatBody,
  maxJsonBytes: fileLimits.maxJsonBytes,
  responses: { 200: { description: 'The completion', schema: null } },
  async handle({ body, ...call }) {
    const { context, caller } = call;
    const { definition } = await requireNamed(context, caller, body.model, 'chat');
    const isStreamed = body.stream === true;
    if (isStreamed) takeStreamSlot(call);
    const created = await createFromMessages(call, {
      route: 'POST /v1/openai/chat/completions',
      body,
      definition,
      messages: body.messages,
      choices: body.n ?? 1,
      request: (messages) => ({
        model: definition.slug,
        input: chatInput(definition, { ...body, messages }),
        ...(body.metadata && { metadata: body.metadata }),
        ...(isStreamed && definition.stream === 'text' && { stream: true }),
      }),
    });
    return replyWith(call, created, aboutOf(body), chatCompletions);
  },
});

export const promptBody = chatBody.omit({ messages: true }).extend({
  prompt: z.union([z.string().min(1), z.array(z.string()).length(1)], {
    error: 'must be a text, or a list of one',
  }),
});

export function promptInput(
  definition: ModelDefinition,
  { prompt, ...rest }: z.infer<typeof promptBody>,
): Record<string, unknown> {
  const messages = [{ role: 'user', content: [prompt].flat().join('') }];
  return chatInput(definition, { ...rest, messages });
}

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
  async handle({ body, ...call }) {
    const { context, caller } = call;
    const { definition } = await requireNamed(context, caller, body.model, 'chat');
    const isStreamed = body.stream === true;
    if (isStreamed) takeStreamSlot(call);
    const request = () => ({
      model: definition.slug,
      input: promptInput(definition, body),
      ...(body.metadata && { metadata: body.metadata }),
      ...(isStreamed && definition.stream === 'text' && { stream: true }),
    });
    const created = await createFrom(call, 'POST /v1/openai/completions', body, request, body.n ?? 1);
    return replyWith(call, created, aboutOf(body), textCompletions);
  },
});
