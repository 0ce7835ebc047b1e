type Element = {
  oid: number;
  /** In bytes; NaN: not a value of this type. */
  sizeOf(value: unknown): number;
  write(buffer: Buffer, value: never, at: number): unknown;
};

/** 2000-01-01, from which PostgreSQL counts microseconds. */
const epochMs = 946_684_800_000n;

const textElement = (oid: number): Element => ({
  oid,
  sizeOf: (value) => (typeof value === 'string' ? Buffer.byteLength(value) : Number.NaN),
  write: (buffer, value: string, at) => buffer.write(value, at),
});

const booleanElement: Element = {
  oid: 16,
  sizeOf: (value) => (typeof value === 'boolean' ? 1 : Number.NaN),
  write: (buffer, value: boolean, at) => buffer.writeInt8(Number(value), at),
};

/** By the type in the cast of their array. Others go as text. */
const elements = new Map<string, Element>([
  ['text', textElement(25)],
  ['json', textElement(114)],
  [
    'jsonb',
    {
      oid: 3802,
      sizeOf: (value) => (typeof value === 'string' ? 1 + Buffer.byteLength(value) : Number.NaN),
      // After the version of the format.
      write: (buffer, value: string, at) => buffer.write(value, buffer.writeInt8(1, at)),
    },
  ],
  ['bool', booleanElement],
  ['boolean', booleanElement],
  [
    'int',
    {
      oid: 23,
      sizeOf: (value) => (typeof value === 'number' && (value | 0) === value ? 4 : Number.NaN),
      write: (buffer, value: number, at) => buffer.writeInt32BE(value, at),
    },
  ],
  [
    'float8',
    {
      oid: 701,
      sizeOf: (value) => (typeof value === 'number' ? 8 : Number.NaN),
      write: (buffer, value: number, at) => buffer.writeDoubleBE(value, at),
    },
  ],
  [
    'timestamptz',
    {
      oid: 1184,
      sizeOf: (value) => (value instanceof Date ? 8 : Number.NaN),
      write: (buffer, value: Date, at) =>
        buffer.writeBigInt64BE((BigInt(value.getTime()) - epochMs) * 1000n, at),
    },
  ],
]);

type Casts = (Element | undefined)[];

const castsOf = new Map<string, Casts>();

/**
 * `values` with the arrays that `text` casts (`$1::text[]`) in PostgreSQL's binary format. In text, both sides would quote
 * and read each value character by character: an id costs twice as much, JSON five times (ADR 0019).
 */
export function withBinaryArrays(text: string, values: unknown[]): unknown[] {
  const casts = castsOf.get(text) ?? readCasts(text);
  return values.map((value, index) => {
    const element = casts[index];
    return element && Array.isArray(value) ? (encode(element, value) ?? value) : value;
  });
}

function readCasts(text: string): Casts {
  const casts: Casts = [];
  for (const [, number, type = ''] of text.matchAll(/\$(\d+)::(\w+)\[\]/g)) {
    casts[Number(number) - 1] = elements.get(type);
  }
  castsOf.set(text, casts);
  return casts;
}

const headerBytes = 20;
const lengthBytes = 4;
const nullLength = -1;

/** Null when a value has another type: as text, PostgreSQL converts it or says what is wrong. */
function encode({ oid, sizeOf, write }: Element, values: unknown[]): Buffer | null {
  const sizes = values.map((value) => (value === null || value === undefined ? nullLength : sizeOf(value)));
  let bytes = headerBytes;
  for (const size of sizes) bytes += lengthBytes + Math.max(0, size);
  if (Number.isNaN(bytes)) return null;
  const buffer = Buffer.allocUnsafe(bytes);
  // One dimension, no flags, the type, its length, and the index of its first value.
  [1, 0, oid, values.length, 1].forEach((field, index) => buffer.writeInt32BE(field, index * lengthBytes));
  let at = headerBytes;
  sizes.forEach((size, index) => {
    at = buffer.writeInt32BE(size, at);
    if (size === nullLength) return;
    write(buffer, values[index] as never, at);
    at += size;
  });
  return buffer;
}
