import type { Readable } from 'node:stream';
import { limits } from '@holdfast/domain/limits';
import { currentReservation } from '@holdfast/kit/memoryBudget';
import type { StreamEnd } from './eventStream.ts';
import type { OutputSink } from './interface.ts';

/** Shows the bytes of a response as they come, and keeps them: they are the output's file, too. */
export async function showBytes(stream: Readable, sink: OutputSink): Promise<Buffer | StreamEnd> {
  const reserve = currentReservation();
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  const read = stream[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  const next = async () => await read.next().catch((error: Error) => error);
  try {
    for (let chunk = await next(); ; chunk = await next()) {
      if (chunk instanceof Error) return { by: 'break', error: chunk };
      if (chunk.done) return Buffer.concat(chunks, sizeBytes);
      sizeBytes += chunk.value.length;
      if (sizeBytes > limits.providerBodyBytes)
        return { by: 'limit', what: `a response of more than ${limits.providerBodyBytes} bytes` };
      await reserve?.(chunk.value.length);
      chunks.push(chunk.value);
      await sink.output(chunk.value);
    }
  } finally {
    stream.destroy();
  }
}
