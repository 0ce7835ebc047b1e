const escapes = /\\(?:u(?:0000|d[89a-f][0-9a-f]{2})|.)/g;

/** JSON that PostgreSQL can read: NUL and lone surrogates, which would fail a whole batch, become U+FFFD. */
export function storableJson(value: unknown): string {
  return JSON.stringify(value).replace(escapes, (escape) => (escape.length > 2 ? '\\ufffd' : escape));
}

/** Text without NUL, which PostgreSQL refuses along with the whole batch. */
export function storableText(text: string): string {
  return text.replaceAll('\0', '');
}
