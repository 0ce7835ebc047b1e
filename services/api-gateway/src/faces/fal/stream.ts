import { ApiError } from '@holdfast/domain/errors';
import { findExecution } from '../../executions/readable.ts';
import { toApiError } from '../../http/errors.ts';
import { followOutput } from '../../watching/outputStream.ts';
import { openEventStream } from '../eventStream.ts';
import { type Created, requireCompleted } from '../run.ts';
import { falError } from './errors.ts';
import { outputOf } from './output.ts';
import type { FalCall } from './submit.ts';

/** At most so often: each event has the whole text so far. */
const eventMs = 100;

/** Streams an output as models at fal do: each event has all of the text so far, and the last one is the output. */
export async function streamRun(call: FalCall, created: Created): Promise<null> {
  const { context, caller, raw } = call;
  const { id } = created.execution;
  const stream = openEventStream(call, created.headers);
  try {
    const events = followOutput({ ...context, id, after: 0, over: stream.over });
    let text = '';
    let shownAtMs = 0;
    let next = await events.next();
    for (; !next.done; next = await events.next()) {
      const { type, data } = next.value;
      if (type === 'reset' && text !== '')
        throw new ApiError('GENERATION_FAILED', 'The output begins again.');
      const delta = type === 'output' ? (JSON.parse(data) as { delta?: unknown }).delta : null;
      if (typeof delta !== 'string' || delta === '') continue;
      text += delta;
      if (performance.now() - shownAtMs < eventMs) continue;
      shownAtMs = performance.now();
      await stream.write({ output: text, text, partial: true });
    }
    if (next.value === null) stream.cut();
    else {
      const execution = requireCompleted(await findExecution(context, caller, id), created.headers);
      const output = await outputOf(call, execution);
      await stream.write('text' in output ? { ...output, partial: false } : output);
    }
  } catch (error) {
    const failed = toApiError(error);
    await stream.write({ error: failed.message, ...falError(failed, raw.response) }, 'error');
  } finally {
    stream.end();
  }
  return null;
}
