/** Things kept for a while, by key, the oldest dropped first when there are too many bytes of them. */
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
  // A Map iterates in the order of insertion, and everything is kept equally long.
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
