/** `http://127.0.0.1:8790`, as `URL.origin` writes it. Throws on what is more than scheme, host and port, or less. */
export function parseOrigin(text: string): string {
  const url = URL.parse(text.trim());
  // The parser takes hosts such as `*` for names.
  if (url && url.href === `${url.origin}/` && /^https?:\/\/[\w.:[\]-]+$/.test(url.origin)) return url.origin;
  throw new Error('not an origin, such as http://127.0.0.1:8790');
}
