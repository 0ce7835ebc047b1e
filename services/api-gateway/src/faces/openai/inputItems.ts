import { invalidField } from '@holdfast/domain/errors';
import { z } from 'zod';
import { integerParameter } from '../../http/fields.ts';
import type { ChatMessage } from './completion.ts';

/** Which of the items, the newest first by default, as at OpenAI. */
export const inputItemsQuery = z.object({
  limit: integerParameter({ min: 1, max: 100, default: 20 }),
  order: z.enum(['asc', 'desc']).default('desc'),
  after: z.string().optional(),
  include: z.string().optional(),
  'include[]': z.string().optional(),
});

/** A page of the messages that a model was sent. @throws ApiError for an item that is not there */
export function inputItemsPage(
  executionId: string,
  messages: readonly ChatMessage[],
  { limit, order, after }: z.infer<typeof inputItemsQuery>,
) {
  const id = executionId.slice('exec_'.length);
  const items = messages.flatMap(itemsOf).map((item, index) => ({ id: `msg_${id}_in_${index}`, ...item }));
  if (order === 'desc') items.reverse();
  const from = after === undefined ? 0 : items.findIndex((item) => item.id === after) + 1;
  if (after !== undefined && from === 0)
    throw invalidField('after', 'NOT_FOUND', 'after must be the id of an item of this response.');
  const data = items.slice(from, from + limit);
  return {
    object: 'list',
    data,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
    has_more: items.length > from + limit,
  };
}

type Call = { id?: unknown; function?: { name?: unknown; arguments?: unknown } };

/** A chat message as the items that make one: a call of a function and its result stand by themselves. */
function itemsOf({ role, content, tool_calls: calls, tool_call_id: callId }: ChatMessage): object[] {
  if (role === 'tool')
    return [{ type: 'function_call_output', call_id: callId, output: content ?? '', status: 'completed' }];
  const called = (Array.isArray(calls) ? (calls as Call[]) : []).map((call) => ({
    type: 'function_call',
    call_id: call.id,
    name: call.function?.name,
    arguments: call.function?.arguments,
    status: 'completed',
  }));
  const parts = typeof content === 'string' ? [{ type: 'text', text: content }] : (content ?? []);
  const isSaid = parts.length > 0 || called.length === 0;
  const message = { type: 'message', role, status: 'completed', content: parts.map(partOf(role)) };
  return [...(isSaid ? [message] : []), ...called];
}

const partOf =
  (role: string) =>
  ({ type, text, image_url: image, ...more }: Record<string, unknown>): object => {
    if (type === 'text')
      return role === 'assistant'
        ? { type: 'output_text', text, annotations: [] }
        : { type: 'input_text', text };
    const { url = image, detail = 'auto' } = Object(image);
    return type === 'image_url' ? { type: 'input_image', image_url: url, detail } : { type, ...more };
  };
