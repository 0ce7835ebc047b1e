import { ApiError } from '@holdfast/domain/errors';
import { followOutput } from '../../watching/outputStream.ts';
import { openEventStream } from '../eventStream.ts';
import { type Created, type FaceCall, requireCompleted } from '../run.ts';
import { type ChatBody, completionId, finishReasonOf, usageOf } from './completion.ts';
import { errorEvent } from './errors.ts';
import { findMapped } from './mapping.ts';

type Delta = { role?: string; content?: unknown; refusal?: null; tool_calls?: object[] };

/** How one of OpenAI's APIs writes a piece of text. */
export type ChunkShape = {
  object: string;
  idOf(executionId: string): string;
  choice(delta: Delta): object;
};

export const chatChunks: ChunkShape = {
  object: 'chat.completion.chunk',
  idOf: completionId,
  choice: (delta) => ({ delta }),
};

/** Writes chunks as they are made, or one with the whole if the model does not stream. An error comes as an event. */
export async function streamChat(
  call: FaceCall,
  created: Created,
  body: Pick<ChatBody, 'model' | 'stream_options'>,
  shape: ChunkShape,
): Promise<null> {
  const { id } = created.execution;
  const stream = openEventStream(call, created.headers);
  const about = { id: shape.idOf(id), object: shape.object, model: body.model };
  const write: WriteChunk = (chunk) => stream.write({ ...about, ...chunk });
  try {
    if (await writeChunks(call, created, { ...body, shape }, stream.over, write))
      await stream.write('[DONE]');
    else stream.cut();
  } catch (error) {
    await stream.write(errorEvent(error));
  } finally {
    stream.end();
  }
  return null;
}

type WriteChunk = (chunk: object) => Promise<void>;

/** Returns false when the client is gone or the gateway stops. */
async function writeChunks(
  { context, caller }: FaceCall,
  { execution: { id }, headers }: Created,
  { stream_options: options, shape }: Pick<ChatBody, 'stream_options'> & { shape: ChunkShape },
  over: AbortController,
  write: WriteChunk,
): Promise<boolean> {
  const created = Math.floor(Date.now() / 1000);
  const includesUsage = options?.include_usage === true;
  const choice = (delta: Delta, finish_reason: string | null = null) =>
    write({
      created,
      choices: [{ index: 0, ...shape.choice(delta), logprobs: null, finish_reason }],
      ...(includesUsage && { usage: null }),
    });
  let isBegun = false;
  const text = async (content: unknown) => {
    await choice({ ...(!isBegun && { role: 'assistant', refusal: null }), content });
    isBegun = true;
  };
  const events = followOutput({ ...context, id, after: 0, over });
  let next = await events.next();
  for (; !next.done; next = await events.next()) {
    const { type, data } = next.value;
    if (type === 'reset' && isBegun) throw new ApiError('GENERATION_FAILED', 'The output begins again.');
    if (type === 'output') await text((JSON.parse(data) as { delta: unknown }).delta);
  }
  if (next.value === null) return false;
  const execution = requireCompleted(await findMapped(context, caller, id, 'chat'), headers);
  const { text: whole, tool_calls: calls } = (execution.output ?? {}) as {
    text?: unknown;
    tool_calls?: object[];
  };
  const isUnseen = !next.value.total || next.value.isCleared;
  if (isUnseen && typeof whole === 'string' && whole !== '') await text(whole);
  if (Array.isArray(calls))
    await choice({
      ...(!isBegun && { role: 'assistant', content: null }),
      tool_calls: calls.map((one, index) => ({ index, ...one })),
    });
  else if (!isBegun) await text('');
  await choice({}, finishReasonOf(execution));
  if (includesUsage) await write({ created, choices: [], usage: usageOf(execution) });
  return true;
}
