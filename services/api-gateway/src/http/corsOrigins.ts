/** Whether an item of CORS_ORIGINS is an origin as browsers name them, or `*` for all. */
export function isCorsOrigin(text: string): boolean {
  return text === '*' || (/^https?:/.test(text) && URL.canParse(text) && new URL(text).origin === text);
}
