import { isBodyReference } from '../outputBody.ts';

/** The URL, data URL or reference of an output file; null for what is not a file. */
export type UrlOf = (item: unknown) => string | null;

const complete = /^(https?:\/\/|data:)/i;
const untyped = 'data:application/octet-stream;base64,';
/** Paths can consist of the characters of base64, too. */
const minBase64Chars = 64;
const maxPathChars = 255;
const jpegStart = '/9j/';

/** Files as most providers return them: URLs, base64, or objects that have one. `relativeUrl` completes other texts. */
export function fileUrl(
  item: unknown,
  relativeUrl: (text: string) => string | null = () => null,
): string | null {
  if (typeof item === 'string') {
    if (complete.test(item) || isBodyReference(item)) return item;
    return isBase64(item) ? `${untyped}${item}` : relativeUrl(item);
  }
  if (item === null || typeof item !== 'object') return null;
  if ('b64_json' in item && typeof item.b64_json === 'string')
    return complete.test(item.b64_json) ? item.b64_json : `${untyped}${item.b64_json}`;
  return 'url' in item && typeof item.url === 'string' ? fileUrl(item.url, relativeUrl) : null;
}

/** Most servers written by hand return the bytes of a file so. */
function isBase64(text: string): boolean {
  if (text.length < minBase64Chars || /[^\w+/=\s-]/.test(text)) return false;
  return !text.startsWith('/') || text.startsWith(jpegStart) || text.length > maxPathChars;
}
