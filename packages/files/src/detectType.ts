import { fileTypeFromBuffer } from 'file-type';
import { isAllowedType } from './allowedTypes.ts';

/** How much of a file's beginning tells its type. */
export const headBytes = 4100;

const textTypes = new Set(['text/plain', 'text/csv', 'text/markdown', 'application/json']);

/** A first entry, and the end of an empty archive. */
const zipMagics = new Set(['504b0304', '504b0506']);

/** Declared types whose bytes go by other names in the detector. */
const aliases: Record<string, string[]> = {
  'audio/wav': ['audio/x-wav', 'audio/vnd.wave'],
  'audio/x-wav': ['audio/wav', 'audio/vnd.wave'],
  'audio/mp4': ['audio/x-m4a', 'video/mp4'],
  'audio/ogg': ['application/ogg', 'video/ogg'],
  'audio/flac': ['audio/x-flac'],
  'audio/webm': ['video/webm'],
  'video/mp4': ['video/x-m4v'],
  'video/x-matroska': ['video/matroska'],
  'image/heic': ['image/heif', 'image/heic-sequence', 'image/heif-sequence'],
};

/** The type by magic bytes, from the first `headBytes` of a file; null when they tell none (as for text). */
export async function detectType(head: Buffer): Promise<string | null> {
  const found = await fileTypeFromBuffer(head).catch(() => undefined);
  return found?.mime.split(';')[0] ?? null;
}

/** Whether a file that begins so is what it was declared to be. */
export async function matchesDeclaredType(head: Buffer, declared: string): Promise<boolean> {
  if (!isAllowedType(declared) || head.length === 0) return false;
  if (textTypes.has(declared)) return isText(head);
  // Office files and the like are zips too, and the detector names them by their kind.
  if (declared === 'application/zip') return zipMagics.has(head.toString('hex', 0, 4));
  const detected = await detectType(head);
  return detected !== null && (detected === declared || (aliases[declared]?.includes(detected) ?? false));
}

/** UTF-8 without NUL. `stream` forgives a last character that the head cuts in two. */
function isText(head: Buffer): boolean {
  if (head.includes(0)) return false;
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(head, { stream: true });
    return true;
  } catch {
    return false;
  }
}
