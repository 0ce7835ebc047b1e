import type { Execution } from '@holdfast/domain/execution';
import type { Reply } from '../../http/endpoint.ts';
import { type FaceEvents, openEventStream } from '../eventStream.ts';
import { type Created, completed, type FaceCall } from '../run.ts';
import { errorEvent } from './errors.ts';

/** A stream of events that come once the execution has completed. `before` writes earlier ones, while it runs. */
export function streamCompleted(
  call: FaceCall,
  created: Created,
  eventsOf: (execution: Execution) => AsyncIterable<string>,
  before?: (events: FaceEvents) => Promise<void>,
): Reply {
  const { response } = call.raw;
  const wait = async (): Promise<null> => {
    const stream = openEventStream(call, created.headers);
    try {
      await before?.(stream);
      if (stream.over.signal.aborted) {
        // The gateway stops, and a repetition joins the execution at another.
        stream.cut();
        return null;
      }
      const execution = await completed(call, created);
      if (execution === null) return null;
      await stream.writePieces(eventsOf(execution));
    } catch (error) {
      // An event that was not written whole has no other end.
      if (stream.isInEvent()) response.destroy();
      else await stream.write(errorEvent(error));
    }
    stream.end();
    return null;
  };
  return { status: 200, body: null, wait };
}

export function eventText(data: { type: string } & Record<string, unknown>): string {
  return `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;
}
