import { isCut, responseId } from '@holdfast/domain/endpointDialects';
import { ApiError } from '@holdfast/domain/errors';
import type { EndedExecution } from '@holdfast/domain/execution';
import type { ModelDefinition } from '@holdfast/domain/modelDefinition';
import type { ExecutionStatus } from '@holdfast/domain/statuses';
import { z } from 'zod';
import { type ChatMessage, chatInput, metadata } from './completion.ts';
import { openaiError } from './errors.ts';

const item = z.looseObject({ type: z.string().optional(), role: z.string().optional() });

export const responseBody = z.looseObject({
  model: z.string().min(1).max(200),
  input: z.union([z.string(), z.array(item).min(1).max(10_000)]),
  instructions: z.string().nullish(),
  background: z.boolean().nullish(),
  stream: z.boolean().nullish(),
  store: z.boolean().nullish(),
  previous_response_id: z.string().nullish(),
  metadata,
  max_output_tokens: z.int().positive().nullish(),
});

export type ResponseBody = z.infer<typeof responseBody>;
export type Item = z.infer<typeof item>;

/** Makes the input of a model from a request and the conversation up to it. @throws ApiError for what the model cannot do */
export function responseInput(
  definition: ModelDefinition,
  body: ResponseBody,
  messages: readonly ChatMessage[],
): Record<string, unknown> {
  const {
    model,
    input: _input,
    instructions,
    max_output_tokens: maxTokens,
    text,
    tools,
    tool_choice: choice,
    conversation,
    prompt,
    ...rest
  } = body;
  for (const [field, value] of Object.entries({ conversation, prompt }))
    if (value !== undefined && value !== null) throw unsupported(field, `\`${field}\` is not supported.`);
  const { background: _b, store: _s, stream: _t, previous_response_id: _p, ...others } = rest;
  const system: ChatMessage[] = instructions ? [{ role: 'system', content: instructions }] : [];
  return chatInput(definition, {
    ...others,
    model,
    messages: [...system, ...messages],
    max_tokens: maxTokens,
    ...formatOf(text),
    ...(Array.isArray(tools) && tools.length > 0 && { tools: tools.map(toolOf), tool_choice: choice }),
  });
}

/**
 * The messages of an input. Calls of functions that follow each other are those of one message, and reasoning of other models
 * is left out. @throws ApiError for an item that is no message and no call of a function
 */
export function messagesIn({ input }: Pick<ResponseBody, 'input'>): ChatMessage[] {
  if (typeof input === 'string') return [{ role: 'user', content: input }];
  const messages: ChatMessage[] = [];
  for (const item of input) {
    if (item.type === 'reasoning') continue;
    const message = messageOf(item);
    const last = messages.at(-1);
    if (item.type === 'function_call' && last?.role === 'assistant')
      last['tool_calls'] = [last['tool_calls'] ?? [], message['tool_calls']].flat();
    else messages.push(message);
  }
  return messages;
}

function messageOf(given: Item): ChatMessage {
  const { type, role, call_id: callId, name, arguments: args, output, content } = given;
  if (type === 'function_call') {
    const call = { id: callId, type: 'function', function: { name, arguments: args } };
    return { role: 'assistant', content: null, tool_calls: [call] };
  }
  if (type === 'function_call_output')
    return {
      role: 'tool',
      tool_call_id: callId,
      content: typeof output === 'string' ? output : JSON.stringify(output),
    };
  if (role === undefined)
    throw unsupported('input', `Input items of the type \`${type}\` are not supported.`);
  return { role, content: typeof content === 'string' ? content : partsOf(content) };
}

function partsOf(content: unknown) {
  if (!Array.isArray(content))
    throw unsupported('input', 'The content of a message must be text or a list of parts.');
  return content.map((part: { type?: string; text?: string }) =>
    typeof part.text === 'string' ? { type: 'text', text: part.text } : imageOr(part),
  );
}

function imageOr({ type, image_url: url, ...part }: { type?: string; image_url?: unknown }) {
  return type === 'input_image'
    ? { type: 'image_url', image_url: { ...part, url } }
    : { ...part, type: String(type) };
}

function formatOf(text: unknown): object {
  const { format } = (text ?? {}) as { format?: { type?: string } };
  if (format?.type === undefined || format.type === 'text') return {};
  const { type, ...schema } = format;
  return { response_format: type === 'json_schema' ? { type, json_schema: schema } : { type } };
}

/** As chat completions take it: the fields of a function stand in an object of their own. */
function toolOf(tool: unknown): unknown {
  const { type, ...declared } = tool as { type?: unknown };
  if (type !== 'function')
    throw unsupported('tools', `Tools of the type \`${String(type)}\` are not supported.`);
  return { type, function: declared };
}

export function unsupported(field: string, message: string): ApiError {
  return new ApiError('INPUT_VALIDATION_ERROR', message, {
    details: [{ field, code: 'unsupported', message }],
  });
}

/** Null: it is none of ours. */
export function executionIdOf(id: string): string | null {
  return id.startsWith('resp_') ? `exec_${id.slice('resp_'.length)}` : null;
}

type Shown = { text?: unknown; tool_calls?: unknown };
type Call = { id?: string; function?: { name?: string; arguments?: string } };

export function textOfOutput({ output }: Pick<EndedExecution, 'output'>): string | null {
  const { text } = (output ?? {}) as Shown;
  return typeof text === 'string' ? text : output && JSON.stringify(output);
}

/** The calls of functions in an output, as chat completions have them. */
export function callsOf({ output }: Pick<EndedExecution, 'output'>): Call[] {
  const { tool_calls: calls } = (output ?? {}) as Shown;
  return Array.isArray(calls) ? (calls as Call[]) : [];
}

export function messageItem(executionId: string, text: string, status = 'completed') {
  return {
    id: `msg_${executionId.slice('exec_'.length)}`,
    type: 'message',
    status,
    role: 'assistant',
    content: [{ type: 'output_text', text, annotations: [], logprobs: [] }],
  };
}

export function outputItems(execution: EndedExecution): (Item & { id: string })[] {
  if (execution.status !== 'COMPLETED') return [];
  const text = textOfOutput(execution);
  const called = callsOf(execution).map((call, index) => ({
    id: `fc_${execution.id.slice('exec_'.length)}_${index}`,
    type: 'function_call',
    status: 'completed',
    call_id: call.id,
    name: call.function?.name,
    arguments: call.function?.arguments,
  }));
  return [...(text ? [messageItem(execution.id, text)] : []), ...called];
}

const statuses: Record<ExecutionStatus, string> = {
  PENDING: 'queued',
  PROCESSING: 'in_progress',
  AWAITING_WEBHOOK: 'in_progress',
  COMPLETED: 'completed',
  FAILED: 'failed',
  CANCELLED: 'cancelled',
  EXPIRED: 'failed',
};

/** What a response repeats of its request, as far as it is known. */
export type Repeated = Pick<
  ResponseBody,
  'background' | 'instructions' | 'previous_response_id' | 'max_output_tokens'
> & {
  model?: string;
};

export function responseOf(execution: EndedExecution, repeated: Repeated = {}) {
  const wasCut = isCut(execution.finishReason);
  const { inputTokens, outputTokens, errorCode, errorMessage } = execution;
  const error = errorCode && openaiError(new ApiError(errorCode, errorMessage ?? '')).error;
  return {
    id: responseId(execution.id),
    object: 'response',
    created_at: Math.floor(execution.createdAt.getTime() / 1000),
    status: execution.status === 'COMPLETED' && wasCut ? 'incomplete' : statuses[execution.status],
    background: repeated.background ?? false,
    error: error && { code: error.code ?? 'server_error', message: error.message },
    incomplete_details: wasCut ? { reason: 'max_output_tokens' } : null,
    instructions: repeated.instructions ?? null,
    max_output_tokens: repeated.max_output_tokens ?? null,
    metadata: execution.metadata ?? {},
    model: repeated.model ?? execution.model,
    output: outputItems(execution),
    parallel_tool_calls: true,
    previous_response_id: repeated.previous_response_id ?? null,
    reasoning: { effort: null, summary: null },
    store: true,
    temperature: null,
    text: { format: { type: 'text' } },
    tool_choice: 'auto',
    tools: [],
    top_p: null,
    truncation: 'disabled',
    usage:
      execution.status === 'COMPLETED'
        ? {
            input_tokens: inputTokens ?? 0,
            input_tokens_details: { cached_tokens: 0 },
            output_tokens: outputTokens ?? 0,
            output_tokens_details: { reasoning_tokens: 0 },
            total_tokens: (inputTokens ?? 0) + (outputTokens ?? 0),
          }
        : null,
  };
}
