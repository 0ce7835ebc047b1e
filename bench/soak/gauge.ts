/** The value of a metric without labels of its own, from the text of `/metrics`; null when it is not there. */
export function gaugeOf(text: string, name: string): number | null {
  const value = new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)$`, 'm').exec(text)?.[1];
  return value === undefined || Number.isNaN(Number(value)) ? null : Number(value);
}
