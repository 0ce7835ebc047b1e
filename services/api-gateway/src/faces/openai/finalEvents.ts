import type { Execution } from '@holdfast/domain/execution';
import type { Reply } from '../../http/endpoint.ts';
import { openEventStream } from '../eventStream.ts';
import { type Created, completed, type FaceCall } from '../run.ts';
import { errorEvent } from './errors.ts';

/** A stream of events that come once the execution has completed. */
export function streamCompleted(
  call: FaceCall,
  created: Created,
  eventsOf: (execution: Execution) => AsyncIterable<string>,
): Reply {
  const { response } = call.raw;
  const wait = async (): Promise<null> => {
    const stream = openEventStream(call, created.headers);
    let isBegun = false;
    try {
      const execution = await completed(call, created);
      if (execution === null) return null;
      const pieces = async function* () {
        for await (const piece of eventsOf(execution)) {
          isBegun = true;
          yield piece;
        }
      };
      await stream.writeLast(pieces());
    } catch (error) {
      // An event that was not written whole has no other end.
      if (isBegun) response.destroy();
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
