import { Readable } from 'node:stream';

/** Reads at least `bytes` of a stream (or all of a shorter one), and gives the whole of it back as a new stream. */
export async function takeHead(source: Readable, bytes: number): Promise<{ head: Buffer; stream: Readable }> {
  const chunks: Buffer[] = [];
  let size = 0;
  const iterator = source.iterator({ destroyOnReturn: false });
  for (;;) {
    const { done, value } = await iterator.next();
    if (done) break;
    chunks.push(value as Buffer);
    size += (value as Buffer).length;
    if (size >= bytes) break;
  }
  const stream = Readable.from(rest(chunks, source, iterator), { objectMode: false });
  return { head: Buffer.concat(chunks).subarray(0, bytes), stream };
}

async function* rest(
  chunks: Buffer[],
  source: Readable,
  iterator: AsyncIterator<unknown>,
): AsyncGenerator<Buffer> {
  try {
    yield* chunks;
    for (let next = await iterator.next(); !next.done; next = await iterator.next())
      yield next.value as Buffer;
  } finally {
    source.destroy();
  }
}
