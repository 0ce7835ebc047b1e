/** One line of a body, from 1; `bytes` null: it is longer than allowed. */
export type Line = { number: number; bytes: Buffer | null };

const lineFeed = 0x0a;

/** Splits bytes into lines, without holding more of one than `maxBytes`. Empty lines count, but are not returned. */
export async function* readLines(source: AsyncIterable<Buffer>, maxBytes: number): AsyncGenerator<Line> {
  let parts: Buffer[] = [];
  let sizeBytes = 0;
  let number = 0;

  function add(part: Buffer): void {
    sizeBytes += part.length;
    if (sizeBytes <= maxBytes) parts.push(part);
    else parts = [];
  }

  function end(): Line {
    const bytes =
      sizeBytes > maxBytes ? null : parts.length === 1 ? (parts[0] ?? null) : Buffer.concat(parts);
    parts = [];
    sizeBytes = 0;
    number += 1;
    return { number, bytes };
  }

  for await (const chunk of source) {
    let start = 0;
    for (let at = chunk.indexOf(lineFeed); at !== -1; at = chunk.indexOf(lineFeed, start)) {
      add(chunk.subarray(start, at));
      start = at + 1;
      const line = end();
      if (!isBlank(line)) yield line;
    }
    // A copy: the rest of the chunk must not stay in memory for its last bytes.
    if (start < chunk.length) add(Buffer.from(chunk.subarray(start)));
  }
  if (sizeBytes === 0) return;
  const last = end();
  if (!isBlank(last)) yield last;
}

const isBlank = ({ bytes }: Line) =>
  bytes !== null && bytes.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d);
