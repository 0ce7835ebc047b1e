import { ApiError } from '@holdfast/domain/errors';
import type { EndedExecution } from '@holdfast/domain/execution';
import type { ModelDefinition } from '@holdfast/domain/modelDefinition';
import { z } from 'zod';
import { createBody } from '../../executions/createRequest.ts';
import { inputFor, nameOf, type Wanted } from './mapping.ts';
import { propertiesOf, takesAny } from './properties.ts';

const part = z.looseObject({ type: z.string(), text: z.string().optional() });

const message = z.looseObject({
  role: z.string(),
  content: z
    .union([z.string(), z.array(part), z.null()], { error: 'must be a text or a list of parts' })
    .optional(),
});

export type ChatMessage = z.infer<typeof message>;

/** The execution keeps it, and is found by it. */
export const metadata = createBody.shape.metadata.nullish();

/** Each is an execution. */
const maxChoices = 16;

/** Loose, as OpenAI's clients send what their version knows. */
export const chatBody = z.looseObject({
  model: z.string().min(1).max(200),
  messages: z.array(message).min(1).max(10_000).readonly(),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
  n: z.int().min(1).max(maxChoices).nullish(),
  metadata,
});

export type ChatBody = z.infer<typeof chatBody>;

/** @throws ApiError for what the model cannot do */
export function chatInput(definition: ModelDefinition, body: ChatBody): Record<string, unknown> {
  const { model: _model, messages, stream: _stream, stream_options: _options, n: _n, ...more } = body;
  const { metadata: _metadata, ...given } = more;
  const { max_tokens, max_completion_tokens, response_format, tools, stop, ...rest } = given;
  const format = response_format as { type?: unknown } | null | undefined;
  return inputFor(definition, 'chat', [
    ...Object.entries(rest).map(([field, value]) => ({ field, value })),
    ...unanswerable(rest),
    { field: 'max_tokens', value: max_completion_tokens ?? max_tokens },
    { field: 'stop', value: stopFor(definition, stop) },
    { field: 'response_format', value: response_format, isEssential: format?.type !== 'text' },
    { field: 'tools', value: tools, isEssential: Array.isArray(tools) && tools.length > 0 },
    ...spoken(definition, messages),
  ]);
}

/** What a client that asks for it misses in a completion without it. */
function unanswerable({ logprobs, modalities, functions, best_of: best, echo, suffix }: Wishes): Wanted[] {
  const isAudio = Array.isArray(modalities) && modalities.includes('audio');
  const wishes = {
    logprobs: logprobs === false ? undefined : logprobs,
    modalities: isAudio ? modalities : undefined,
    functions: Array.isArray(functions) && functions.length > 0 ? functions : undefined,
    best_of: best === 1 ? undefined : best,
    echo: echo === false ? undefined : echo,
    suffix: suffix === '' ? undefined : suffix,
  };
  return Object.entries(wishes).map(([field, value]) => ({ field, value, isEssential: true }));
}

type Wishes = Partial<
  Record<'logprobs' | 'modalities' | 'functions' | 'best_of' | 'echo' | 'suffix', unknown>
>;

/** Models that take one text for several have commas between them. */
function stopFor(definition: ModelDefinition, stop: unknown): unknown {
  const name = nameOf(definition, 'chat', 'stop');
  const isText = name !== null && propertiesOf(definition)[name]?.['type'] === 'string';
  return isText && Array.isArray(stop) ? stop.join(',') : stop;
}

/** As a list, where the model takes one, or else as one prompt. */
function spoken(definition: ModelDefinition, messages: readonly ChatMessage[]): Wanted[] {
  if (takesMessages(definition)) return [{ field: 'messages', value: messages }];
  const hasSystem = nameOf(definition, 'chat', 'system') !== null;
  const isSystem = ({ role }: ChatMessage) => hasSystem && (role === 'system' || role === 'developer');
  const system = messages.filter(isSystem).map(textOf).join('\n\n');
  const others = messages.filter((one) => !isSystem(one));
  const [only] = others;
  const prompt = others.length === 1 && only ? textOf(only) : transcriptOf(others);
  return [
    { field: 'prompt', value: prompt, isEssential: true },
    { field: 'system', value: system === '' ? undefined : system },
  ];
}

/** Whether a model takes a conversation, and not only a prompt. */
export function takesMessages(definition: ModelDefinition): boolean {
  return !takesAny(definition) && nameOf(definition, 'chat', 'messages') !== null;
}

function transcriptOf(messages: readonly ChatMessage[]): string {
  return [...messages.map((one) => `${one.role}: ${textOf(one)}`), 'assistant:'].join('\n\n');
}

/** @throws ApiError for a part that is no text */
function textOf({ content }: ChatMessage): string {
  if (typeof content === 'string') return content;
  return (content ?? [])
    .map(({ type, text }) => {
      if (typeof text === 'string') return text;
      const message = `The model does not support content of the type \`${type}\`.`;
      throw new ApiError('INPUT_VALIDATION_ERROR', message, {
        details: [{ field: 'messages', code: 'unsupported_content', message }],
      });
    })
    .join('');
}

type Answer = { text?: unknown; tool_calls?: unknown; reasoning?: unknown };

/** A choice is an execution. */
type Choices = readonly [EndedExecution, ...EndedExecution[]];

export function completionOf(executions: Choices, model: string) {
  return {
    id: completionId(executions[0].id),
    object: 'chat.completion',
    ...wholeOf(executions, model, (execution) => ({
      message: { role: 'assistant', refusal: null, ...answerOf(execution) },
    })),
  };
}

/** The legacy completion of a prompt. */
export function textCompletionOf(executions: Choices, model: string) {
  return {
    id: textCompletionId(executions[0].id),
    object: 'text_completion',
    ...wholeOf(executions, model, (execution) => ({ text: answerOf(execution).content ?? '' })),
  };
}

function wholeOf(executions: Choices, model: string, said: (execution: EndedExecution) => object) {
  const choices = executions.map((execution, index) => ({
    index,
    ...said(execution),
    logprobs: null,
    finish_reason: finishReasonOf(execution),
  }));
  const created = Math.floor(executions[0].createdAt.getTime() / 1000);
  return { created, model, choices, usage: usageOf(...executions) };
}

export function textCompletionId(executionId: string): string {
  return `cmpl-${executionId.slice('exec_'.length)}`;
}

export function completionId(executionId: string): string {
  return `chatcmpl-${executionId.slice('exec_'.length)}`;
}

function answerOf({ output }: EndedExecution) {
  const { text, tool_calls: calls, reasoning } = (output ?? {}) as Answer;
  const hasCalls = Array.isArray(calls) && calls.length > 0;
  const content = typeof text === 'string' ? text : JSON.stringify(output ?? {});
  return {
    content: content === '' && hasCalls ? null : content,
    ...(hasCalls && { tool_calls: calls }),
    ...(typeof reasoning === 'string' && { reasoning_content: reasoning }),
  };
}

/** `budget` and `deadline` cut an output as a limit of tokens does. */
export function finishReasonOf({ output, finishReason }: EndedExecution): string {
  if (Array.isArray((output as Answer | null)?.tool_calls)) return 'tool_calls';
  if (finishReason === 'budget' || finishReason === 'deadline') return 'length';
  return finishReason ?? 'stop';
}

export function usageOf(...executions: EndedExecution[]) {
  const prompt = executions.reduce((sum, { inputTokens }) => sum + (inputTokens ?? 0), 0);
  const completion = executions.reduce((sum, { outputTokens }) => sum + (outputTokens ?? 0), 0);
  return { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion };
}
