import { isUtf8 } from 'node:buffer';
import { parse } from 'content-disposition';

/** The `filename` of a Content-Disposition header; null without any. */
export function nameInHeader(header: string | undefined): string | null {
  if (header === undefined) return null;
  // ComfyUI leaves out the disposition itself.
  const whole = /^\s*filename\*?\s*=/i.test(header) ? `attachment; ${header}` : header;
  const name = parse(whole).parameters['filename'];
  return name ? decodedBytes(name) : null;
}

/** Many servers send the bytes of UTF-8, each of which is one character here. */
function decodedBytes(name: string): string {
  const bytes = Buffer.from(name, 'latin1');
  return bytes.toString('latin1') === name && isUtf8(bytes) ? bytes.toString('utf8') : name;
}

/** The last part of the path, or a parameter `filename`, if it has an extension; others name a service rather than a file. */
export function nameInUrl(text: string): string | null {
  const url = URL.parse(text);
  if (url === null) return null;
  const names = [decodedPath(url.pathname.split('/').at(-1) ?? ''), url.searchParams.get('filename') ?? ''];
  return names.find((name) => /[^.]\.[A-Za-z0-9]{1,16}$/.test(name)) ?? null;
}

function decodedPath(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
