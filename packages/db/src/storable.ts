const escapes = /\\(?:u(?:0000|d[89a-f][0-9a-f]{2})|.)/g;

/**
 * JSON text that Postgres can read out again: it refuses NUL and halves of surrogate pairs when it takes JSON apart,
 * one such text would hold up every statement it is part of. They become U+FFFD.
 */
export function storableJson(value: unknown): string {
  // JSON.stringify writes whole pairs as they are, so what is left escaped is half of one.
  return JSON.stringify(value).replace(escapes, (escape) => (escape.length > 2 ? '\\ufffd' : escape));
}

/** Text that Postgres takes: with a NUL in it, it would refuse everything that is written along with it. */
export function storableText(text: string): string {
  return text.replaceAll('\0', '');
}
