/** A metric without labels in the text of `/metrics`; null when missing. */
export function gaugeOf(text: string, name: string): number | null {
  const value = new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)$`, 'm').exec(text)?.[1];
  return value === undefined || Number.isNaN(Number(value)) ? null : Number(value);
}
