const maxBytes = 255;

/** Persian, Hindi and emoji need U+200C and U+200D, which join letters or keep them apart. */
const invisible = /(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** A file name that is safe to show and to save: no path, no control or direction characters, 1 to 255 bytes. */
export function sanitiseFilename(name: string): string {
  const base = name.toWellFormed().normalize('NFC').split(/[/\\]/).pop() ?? '';
  const printable = base.replace(invisible, '').trim();
  const cut = shorten(printable);
  return /^[.\u200c\u200d]*$/.test(cut) ? 'file' : cut;
}

/** The extension of a file name, in lower case and without the dot; null: there is none. */
export function extensionIn(filename: string): string | null {
  return /[^.]\.([A-Za-z0-9]{1,16})$/.exec(filename)?.[1]?.toLowerCase() ?? null;
}

function shorten(name: string): string {
  if (Buffer.byteLength(name) <= maxBytes) return name;
  const extension = /\.[A-Za-z0-9]{1,16}$/.exec(name)?.[0] ?? '';
  let stem = '';
  let bytes = extension.length;
  for (const char of name.slice(0, name.length - extension.length)) {
    bytes += Buffer.byteLength(char);
    if (bytes > maxBytes) break;
    stem += char;
  }
  return stem + extension;
}

/** `attachment` with the name in ASCII for old clients, and in full by RFC 5987. */
export function attachment(filename: string): string {
  const ascii = filename.replace(/[^\x20-\x7e]/g, '_').replace(/["\\%]/g, '_');
  const encoded = encodeURIComponent(filename.toWellFormed()).replace(
    /['()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${ascii}"; filename*=UTF-8''${encoded}`;
}
