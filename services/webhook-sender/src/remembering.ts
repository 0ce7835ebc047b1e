/** As `read`, but what it made of a text is kept, as long as the texts have `maxLength` in all; the oldest goes first. */
export function remembering<Value>(read: (text: string) => Value, maxLength: number) {
  const known = new Map<string, { value: Value }>();
  let length = 0;
  return (text: string): Value => {
    const found = known.get(text);
    if (found) return found.value;
    const value = read(text);
    known.set(text, { value });
    length += text.length;
    for (const oldest of known.keys()) {
      if (length <= maxLength) break;
      known.delete(oldest);
      length -= oldest.length;
    }
    return value;
  };
}
