/** As `read`, but what it made of a text is kept, up to `maxEntries`; the oldest goes first. */
export function remembering<Value>(read: (text: string) => Value, maxEntries = 5000) {
  const known = new Map<string, { value: Value }>();
  return (text: string): Value => {
    const found = known.get(text);
    if (found) return found.value;
    const value = read(text);
    const oldest = known.size >= maxEntries ? known.keys().next().value : undefined;
    if (oldest !== undefined) known.delete(oldest);
    known.set(text, { value });
    return value;
  };
}
