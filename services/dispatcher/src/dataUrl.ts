import { Readable } from 'node:stream';
import { UnusableOutput } from '@holdfast/providers/outputFiles';

const pieceChars = 65_536;
/** Of the type and its parameters, before the comma. */
const maxHeadChars = 1024;

/** Decodes piece by piece; `contentType` is the declared one. */
export function openDataUrl(url: string): { stream: Readable; contentType: string | null } {
  const comma = url.slice(0, maxHeadChars).indexOf(',');
  if (comma < 0) throw new UnusableOutput('a data URL has no data');
  const [contentType, ...parameters] = url.slice('data:'.length, comma).toLowerCase().split(';');
  const decode = parameters.at(-1)?.trim() === 'base64' ? fromBase64 : fromPercents;
  return {
    stream: Readable.from(decode(url, comma + 1), { objectMode: false }),
    contentType: contentType?.trim() || null,
  };
}

/** Four characters are three bytes; there may be line breaks between them. */
function* fromBase64(url: string, start: number): Generator<Buffer> {
  let rest = '';
  for (let at = start; at < url.length; at += pieceChars) {
    const text = rest + decodedPercents(url.slice(at, at + pieceChars)).replace(/\s+/g, '');
    const whole = text.length - (text.length % 4);
    rest = text.slice(whole);
    if (whole > 0) yield Buffer.from(text.slice(0, whole), 'base64');
  }
  if (rest) yield Buffer.from(rest, 'base64');
}

/** Some encoders escape `+`, `/` and `=`. An escape that is cut in two by a piece is not supported. */
function decodedPercents(text: string): string {
  return text.includes('%') ? text.replace(/%([0-9a-f]{2})/gi, (_all, hex) => character(hex)) : text;
}

/** `%ff` is one byte, even where it is no valid text. */
function* fromPercents(url: string, start: number): Generator<Buffer> {
  for (let at = start; at < url.length; ) {
    const end = pieceEnd(url, at, Math.min(url.length, at + pieceChars));
    const utf8 = Buffer.from(url.slice(at, end)).toString('latin1');
    yield Buffer.from(
      utf8.replace(/%([0-9a-f]{2})/gi, (_all, hex) => character(hex)),
      'latin1',
    );
    at = end;
  }
}

/** The end of a piece, such that it splits neither an escape nor a surrogate pair. */
function pieceEnd(url: string, start: number, end: number): number {
  if (end === url.length) return end;
  const escape = url.lastIndexOf('%', end - 1);
  if (escape > start && escape > end - 3) return escape;
  return /[\ud800-\udbff]/.test(url.charAt(end - 1)) ? end - 1 : end;
}

function character(hex: string): string {
  return String.fromCharCode(Number.parseInt(hex, 16));
}
