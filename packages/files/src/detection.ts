import {
  type AllowedType,
  allowedTypeOf,
  allowedTypes,
  isAllowedType,
  isTextType,
  textTypeOf,
} from './contentTypes.ts';
import { extensionIn } from './filename.ts';
import type { FileBytes } from './media/bytes.ts';
import { endOfId3 } from './media/mpegAudio.ts';
import { startsWithMpegFrames } from './media/mpegFrames.ts';

/** Enough for four frames of the densest MP3. */
export const headBytes = 8192;

/** By the first `headBytes` or more; null for bytes that no type begins with, as in text. */
export async function detectType(head: Buffer): Promise<string | null> {
  return certainType(head) ?? (await libraryType(head)) ?? likelyType(head);
}

const pngMagic = '89504e470d0a1a0a';
const tiffMagics = new Set(['49492a00', '4d4d002a', '49492b00', '4d4d002b']);

/** The library calls an animated PNG another type, and does not know these forms of WAV and PDF. */
function certainType(head: Buffer): AllowedType | null {
  if (head.toString('hex', 0, 8) === pngMagic) return 'image/png';
  if (/^(RF64|BW64)....WAVE/s.test(head.toString('latin1', 0, 12))) return 'audio/wav';
  // After a byte order mark or white space, which some generators send first.
  if (/^(\xef\xbb\xbf)?\s*%PDF-/.test(head.toString('latin1', 0, 1024))) return 'application/pdf';
  return null;
}

async function libraryType(head: Buffer): Promise<string | null> {
  const { fileTypeFromBuffer } = await import('file-type');
  const detected = await fileTypeFromBuffer(head).catch(() => undefined);
  return detected?.mime.split(';')[0] ?? null;
}

/** The library wants more of a TIFF than a head has, and an MP3 to begin with a whole frame. */
function likelyType(head: Buffer): AllowedType | null {
  if (tiffMagics.has(head.toString('hex', 0, 4))) return 'image/tiff';
  const isMpeg = head.toString('latin1', 0, 3) === 'ID3' || startsWithMpegFrames(head);
  return isMpeg ? 'audio/mpeg' : null;
}

const zipMagics = new Set(['504b0304', '504b0506']);

/** Other types that the bytes of a declared type may be detected as: one container has several brands. */
const brands: Partial<Record<AllowedType, string[]>> = {
  'audio/mp4': ['video/mp4', 'video/quicktime'],
  'audio/webm': ['video/webm'],
  'video/mp4': ['audio/x-m4a', 'video/quicktime', 'video/3gpp', 'video/3gpp2'],
  'video/quicktime': ['video/mp4', 'video/x-m4v'],
  'video/3gpp': ['audio/3gpp', 'video/mp4'],
  'video/x-matroska': ['video/webm'],
};

export async function matchesDeclaredType(head: Buffer, declared: string): Promise<boolean> {
  if (!isAllowedType(declared) || head.length === 0) return false;
  if (isTextType(declared)) return isText(head);
  // Office files are zips too, and the detector returns their own types.
  if (declared === 'application/zip') return isZip(head);
  const detected = await detectType(head);
  return detected !== null && isType(declared, detected);
}

function isType(declared: AllowedType, detected: string): boolean {
  return (
    allowedTypeOf(detected) === allowedTypeOf(declared) || (brands[declared]?.includes(detected) ?? false)
  );
}

function isZip(head: Buffer): boolean {
  return zipMagics.has(head.toString('hex', 0, 4));
}

/** UTF-8 without NUL. `stream` allows a last character that the head cuts in two. */
export function isText(head: Buffer): boolean {
  if (head.length === 0 || head.includes(0)) return false;
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(head, { stream: true });
    return true;
  } catch {
    return false;
  }
}

/** The name decides only which text it is. Null: not allowed. */
export async function detectAllowedType(head: Buffer, filename: string): Promise<AllowedType | null> {
  const detected = await detectType(head);
  // Some texts have a type that is not an allowed one, such as WebVTT.
  if (detected === null || detected.startsWith('text/'))
    return isText(head) ? (textTypeOf(extensionIn(filename)) ?? 'text/plain') : null;
  const named = allowedTypeOf(detected);
  if (named !== null && !isTextType(named)) return named;
  if (isZip(head)) return 'application/zip';
  return allowedTypes.find((type) => isType(type, detected)) ?? null;
}

/** The head of a file without the content of its ID3 tags, which may hold images and be longer than any head. */
export async function typeHead(file: FileBytes): Promise<Buffer> {
  const start = await endOfId3(file);
  const head = await file.at(start, headBytes);
  return start === 0 ? head : Buffer.concat([emptyId3, head]);
}

const emptyId3 = Buffer.from('ID3\x03\0\0\0\0\0\0', 'latin1');

/** The record that ends a ZIP stands before a comment of at most 65,535 bytes. */
export const zipEndBytes = 65_557;

/** By the end of a file: a ZIP may have anything before it, such as the program that unpacks it. */
export function endsAsZip(tail: Buffer): boolean {
  return tail.lastIndexOf('PK\x05\x06', undefined, 'latin1') >= 0;
}
