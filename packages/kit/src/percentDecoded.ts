/** A text from a URL or a header without its percent signs; null when it is not encoded as it should be. */
export function percentDecoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
