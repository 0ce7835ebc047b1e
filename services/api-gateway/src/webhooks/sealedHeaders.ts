/** An endpoint's custom headers as they are stored: sealed, for they often carry credentials. Null: none. */
export function sealedHeaders(box: { seal(plain: string): string }, headers: Record<string, string>) {
  return Object.keys(headers).length === 0 ? null : box.seal(JSON.stringify(headers));
}
