/** CORS_ORIGINS: origins as browsers name them, or `*` for all. Null when one of them is none. */
export function parseOrigins(text: string): string[] | null {
  const origins = text
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '');
  return origins.every((one) => one === '*' || isOrigin(one)) ? origins : null;
}

function isOrigin(text: string): boolean {
  return /^https?:/.test(text) && URL.canParse(text) && new URL(text).origin === text;
}
