/** Text that Postgres takes: with a NUL in it, it would refuse everything that is written along with it. */
export function storableText(text: string): string {
  return text.replaceAll('\0', '');
}
