/** As much as llhttp accepts: it refuses a longer head itself. */
const maxHeadBytes = 16_384;
const headEnd = '\r\n\r\n';

export type ResponseHeads = {
  /** The next bytes are the head of a response. */
  expect(): void;
  /** What the parser reads of a chunk now; null: nothing yet. */
  take(chunk: Buffer): Buffer | null;
  /** What is still held when the connection ends. */
  rest(): Buffer | null;
};

/**
 * Rewrites the heads of responses as llhttp, the parser of Node and undici, accepts them: it refuses a `Content-Length` that
 * is sent twice, and undici refuses a `100 Continue` that it did not ask for.
 */
export function createResponseHeads(): ResponseHeads {
  let held: Buffer | null = null;
  let isExpected = false;

  function release(bytes: Buffer): Buffer {
    isExpected = false;
    held = null;
    return bytes;
  }

  return {
    expect() {
      isExpected = true;
    },
    take(chunk) {
      if (!isExpected) return chunk;
      const bytes = withoutInterim(held === null ? chunk : Buffer.concat([held, chunk]));
      const length = bytes.indexOf(headEnd) + headEnd.length;
      if (length >= headEnd.length) return release(withSingleLength(bytes, length));
      if (bytes.length > maxHeadBytes || !mayBeHead(bytes)) return release(bytes);
      held = bytes;
      return null;
    },
    rest: () => held,
  };
}

/** Without 1xx heads. 101 stays: after it the connection speaks another protocol, so the parser refuses it. */
function withoutInterim(bytes: Buffer): Buffer {
  let start = 0;
  while (/^HTTP\/1\.[01] 1(?!01)\d\d[ \r]/.test(bytes.toString('latin1', start, start + 13))) {
    const end = bytes.indexOf(headEnd, start);
    if (end < 0) break;
    start = end + headEnd.length;
  }
  return bytes.subarray(start);
}

function mayBeHead(bytes: Buffer): boolean {
  const start = bytes.toString('latin1', 0, 7);
  return 'HTTP/1.'.startsWith(start);
}

const lengthLine = /^content-length:[ \t]*(\d+)[ \t]*\r\n/gim;

/** Lengths that are equal become one. Others contradict each other: they stay, and the parser refuses them. */
function withSingleLength(bytes: Buffer, headLength: number): Buffer {
  const head = bytes.toString('latin1', 0, headLength);
  const lengths = [...head.matchAll(lengthLine)].map(([, length]) => length);
  if (lengths.length < 2 || new Set(lengths).size > 1) return bytes;
  let count = 0;
  const single = head.replace(lengthLine, (line) => (count++ === 0 ? line : ''));
  return Buffer.concat([Buffer.from(single, 'latin1'), bytes.subarray(headLength)]);
}
