import { randomBytes } from 'node:crypto';

export type Output = { bytes: Buffer; contentType: string };

export type Outputs = {
  /** A data URI for a small file; for a large one a URL below `origin`, valid for an hour. */
  publish(bytes: Buffer, contentType: string, origin: string): string;
  get(id: string): Output | undefined;
};

const maxInlineBytes = 256 * 1024;

export function createOutputs(): Outputs {
  const shelf = createShelf<Output>({ maxBytes: 512 * 1024 * 1024, keepMs: 3_600_000 });
  return {
    publish(bytes, contentType, origin) {
      if (bytes.length < maxInlineBytes) return `data:${contentType};base64,${bytes.toString('base64')}`;
      const id = randomBytes(16).toString('hex');
      shelf.put(id, { bytes, contentType }, bytes.length);
      return `${origin}/outputs/${id}`;
    },
    get: (id) => shelf.get(id),
  };
}

/** Values kept for a time; the oldest are dropped when they exceed a size. */
export type Shelf<Thing> = {
  put(key: string, thing: Thing, sizeBytes: number): void;
  get(key: string): Thing | undefined;
};

export function createShelf<Thing>({ maxBytes, keepMs }: { maxBytes: number; keepMs: number }): Shelf<Thing> {
  const kept = new Map<string, { thing: Thing; sizeBytes: number; untilMs: number }>();
  let bytes = 0;

  const drop = (key: string) => {
    bytes -= kept.get(key)?.sizeBytes ?? 0;
    kept.delete(key);
  };
  // Entries are in insertion order and expire in that order.
  const tidy = () => {
    for (const [key, { untilMs }] of kept) {
      if (bytes <= maxBytes && untilMs > Date.now()) return;
      drop(key);
    }
  };

  return {
    put(key, thing, sizeBytes) {
      drop(key);
      kept.set(key, { thing, sizeBytes, untilMs: Date.now() + keepMs });
      bytes += sizeBytes;
      tidy();
    },
    get(key) {
      tidy();
      return kept.get(key)?.thing;
    },
  };
}
