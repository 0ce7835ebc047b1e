import { ApiError } from '@holdfast/domain/errors';
import type { Execution } from '@holdfast/domain/execution';
import { followOutput, wholeOf } from '../../watching/outputStream.ts';
import { openEventStream } from '../eventStream.ts';
import type { FaceCall } from '../run.ts';
import { errorEvent } from './errors.ts';
import { findMapped } from './mapping.ts';
import { messageItem, type Repeated, responseOf } from './response.ts';

type Send = (type: string, event: object) => Promise<void>;

/**
 * Streams a response as OpenAI does, with dense sequence numbers. A resumed stream is counted from its beginning: `after` is
 * the last number that the client has.
 */
export async function streamResponse(
  call: FaceCall,
  id: string,
  repeated: Repeated,
  { after = -1, headers = {} }: { after?: number; headers?: Record<string, string> } = {},
): Promise<null> {
  const { context, caller } = call;
  const stream = openEventStream(call, headers);
  let sequence = -1;
  const send: Send = async (type, event) => {
    sequence += 1;
    if (sequence > after) await stream.write({ type, sequence_number: sequence, ...event }, type);
  };
  try {
    const read = () => findMapped(context, caller, id, 'chat');
    const begun = {
      ...(await read()),
      status: 'PROCESSING',
      completedAt: null,
      errorCode: null,
    } as Execution;
    await send('response.created', { response: responseOf(begun, repeated) });
    await send('response.in_progress', { response: responseOf(begun, repeated) });
    const sent = await sendText(call, id, send, stream.over);
    // Without its events the stream is shorter: its end comes after what the client has.
    if (sent?.isShort) sequence = Math.max(sequence, after);
    if (sent === null) stream.cut();
    else await sendEnd(await read(), repeated, sent.text, send);
  } catch (error) {
    await stream.write(errorEvent(error));
  } finally {
    stream.end();
  }
  return null;
}

/** Returns the text that was sent, and whether it was in fewer pieces than before; null when the client is gone or the gateway stops. */
async function sendText(
  { context, caller }: FaceCall,
  id: string,
  send: Send,
  over: AbortController,
): Promise<{ text: string; isShort: boolean } | null> {
  let sent = '';
  let isOpen = false;
  const delta = async (piece: unknown) => {
    if (typeof piece !== 'string' || piece === '') return;
    if (!isOpen) await sendBeginning(id, send);
    isOpen = true;
    sent += piece;
    await send('response.output_text.delta', { ...partOf(id), delta: piece, logprobs: [] });
  };
  const events = followOutput({ ...context, id, after: 0, over });
  let next = await events.next();
  for (; !next.done; next = await events.next()) {
    const { type, data } = next.value;
    if (type === 'reset' && isOpen) throw new ApiError('GENERATION_FAILED', 'The output begins again.');
    if (type === 'output') await delta((JSON.parse(data) as { delta: unknown }).delta);
  }
  if (next.value === null) return null;
  const execution = await findMapped(context, caller, id, 'chat');
  if (!next.value.total || next.value.isCleared) await delta(wholeOf(execution));
  return { text: sent, isShort: next.value.isCleared };
}

const itemId = (id: string) => `msg_${id.slice('exec_'.length)}`;
const partOf = (id: string) => ({ item_id: itemId(id), output_index: 0, content_index: 0 });
const emptyPart = { type: 'output_text', text: '', annotations: [], logprobs: [] };

async function sendBeginning(id: string, send: Send): Promise<void> {
  const item = { ...messageItem(id, '', 'in_progress'), content: [] };
  await send('response.output_item.added', { output_index: 0, item });
  await send('response.content_part.added', { ...partOf(id), part: emptyPart });
}

async function sendEnd(execution: Execution, repeated: Repeated, text: string, send: Send): Promise<void> {
  const { id, status } = execution;
  const response = responseOf(execution, repeated);
  const calls = response.output.filter((item) => (item as { type: string }).type === 'function_call');
  if (text !== '') {
    await send('response.output_text.done', { ...partOf(id), text, logprobs: [] });
    await send('response.content_part.done', { ...partOf(id), part: { ...emptyPart, text } });
    await send('response.output_item.done', { output_index: 0, item: messageItem(id, text) });
  }
  for (const [index, item] of calls.entries()) {
    const output_index = index + (text === '' ? 0 : 1);
    await send('response.output_item.added', { output_index, item });
    await send('response.output_item.done', { output_index, item });
  }
  const end = status === 'COMPLETED' ? response.status : status === 'CANCELLED' ? 'incomplete' : 'failed';
  await send(`response.${end}`, { response });
}
