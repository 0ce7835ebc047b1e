import type { Connection } from '../connection.ts';
import { fileUrl, type UrlOf } from '../outcome/fileUrls.ts';
import { pathBelow, rootOf } from './handle.ts';
import type { HttpOptions } from './options.ts';

/** Files that the server names by paths of its own, or by parts that `output_url` makes a URL of. */
export function outputUrls(
  { output_url: template }: HttpOptions,
  connection: Pick<Connection, 'baseUrl'>,
): UrlOf {
  if (template === undefined) return (item) => fileUrl(item, (text) => ownUrl(text, connection));
  return (item) => {
    if (item === null || !['string', 'object'].includes(typeof item)) return null;
    const path = pathBelow(connection, template, { item });
    return path === null ? null : rootOf(connection) + path;
  };
}

const maxChars = 2048;
const scheme = /^[a-z][a-z0-9+.-]*:/i;

/** A text with neither a slash nor a dot is a message rather than the name of a file. */
function ownUrl(text: string, connection: Pick<Connection, 'baseUrl'>): string | null {
  if (text.length > maxChars || !/[/.]/.test(text) || scheme.test(text) || /\p{Cc}/u.test(text)) return null;
  return URL.parse(text, `${rootOf(connection)}/`)?.href ?? null;
}
