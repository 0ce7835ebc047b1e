import { ApiError } from '@holdfast/domain/errors';
import type { Execution } from '@holdfast/domain/execution';
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
  { model, stream_options: options }: Pick<ChatBody, 'model' | 'stream_options'>,
  shape: ChunkShape,
): Promise<null> {
  const stream = openEventStream(call, created.headers);
  const includesUsage = options?.include_usage === true;
  const about = {
    id: shape.idOf(created.execution.id),
    object: shape.object,
    created: Math.floor(Date.now() / 1000),
    model,
  };
  let writing = Promise.resolve();
  // One after the other: choices run at the same time.
  const write = (chunk: object) => {
    writing = writing.then(() => stream.write({ ...about, ...chunk }));
    return writing;
  };
  const writeChoice =
    (index: number): WriteChoice =>
    (delta, finish_reason) =>
      write({
        choices: [{ index, ...shape.choice(delta), logprobs: null, finish_reason: finish_reason ?? null }],
        ...(includesUsage && { usage: null }),
      });
  try {
    const ended = await allEnded(
      created.choices.map(({ id }, index) =>
        writeChunks(call, { id, headers: created.headers }, stream.over, writeChoice(index)),
      ),
    );
    if (includesUsage && ended) await write({ choices: [], usage: usageOf(...ended) });
    if (ended) await stream.write('[DONE]');
    else stream.cut();
  } catch (error) {
    await stream.write(errorEvent(error));
  } finally {
    stream.end();
  }
  return null;
}

/** An error of one choice comes after the others. Null: the client is gone, or the gateway stops. */
async function allEnded(choices: Promise<Execution | null>[]): Promise<Execution[] | null> {
  await Promise.allSettled(choices);
  const ended = await Promise.all(choices);
  return ended.includes(null) ? null : ended.filter((one) => one !== null);
}

type WriteChoice = (delta: Delta, finishReason?: string) => Promise<void>;

/** Returns null when the client is gone or the gateway stops. */
async function writeChunks(
  { context, caller }: FaceCall,
  { id, headers }: { id: string; headers: Record<string, string> },
  over: AbortController,
  write: WriteChoice,
): Promise<Execution | null> {
  let isBegun = false;
  const text = async (content: unknown) => {
    await write({ ...(!isBegun && { role: 'assistant', refusal: null }), content });
    isBegun = true;
  };
  const events = followOutput({ ...context, id, after: 0, over });
  let next = await events.next();
  for (; !next.done; next = await events.next()) {
    const { type, data } = next.value;
    if (type === 'reset' && isBegun) throw new ApiError('GENERATION_FAILED', 'The output begins again.');
    if (type === 'output') await text((JSON.parse(data) as { delta: unknown }).delta);
  }
  if (next.value === null) return null;
  const execution = requireCompleted(await findMapped(context, caller, id, 'chat'), headers);
  const { text: whole, tool_calls: calls } = (execution.output ?? {}) as {
    text?: unknown;
    tool_calls?: object[];
  };
  const isUnseen = !next.value.total || next.value.isCleared;
  if (isUnseen && typeof whole === 'string' && whole !== '') await text(whole);
  if (Array.isArray(calls))
    await write({
      ...(!isBegun && { role: 'assistant', content: null }),
      tool_calls: calls.map((one, index) => ({ index, ...one })),
    });
  else if (!isBegun) await text('');
  await write({}, finishReasonOf(execution));
  return execution;
}
