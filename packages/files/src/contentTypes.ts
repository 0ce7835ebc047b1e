import type { OutputKind } from '@holdfast/domain/modelResponse';

/** Types that may be uploaded, with their extensions. SVG and HTML may not: they can contain scripts. */
const extensions = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/webp': 'webp',
  'image/gif': 'gif',
  'image/avif': 'avif',
  'image/tiff': 'tiff',
  'image/bmp': 'bmp',
  'image/heic': 'heic',
  'audio/mpeg': 'mp3',
  'audio/wav': 'wav',
  'audio/x-wav': 'wav',
  'audio/ogg': 'ogg',
  'audio/flac': 'flac',
  'audio/mp4': 'm4a',
  'audio/aac': 'aac',
  'audio/webm': 'weba',
  'video/mp4': 'mp4',
  'video/webm': 'webm',
  'video/quicktime': 'mov',
  'video/x-matroska': 'mkv',
  'model/gltf-binary': 'glb',
  'application/pdf': 'pdf',
  'application/json': 'json',
  'application/zip': 'zip',
  'text/plain': 'txt',
  'text/csv': 'csv',
  'text/markdown': 'md',
} as const;

export type AllowedType = keyof typeof extensions;

export const allowedTypes = Object.keys(extensions) as AllowedType[];

const otherNames: Readonly<Record<string, AllowedType>> = {
  'image/jpg': 'image/jpeg',
  'image/pjpeg': 'image/jpeg',
  'image/x-png': 'image/png',
  'audio/mp3': 'audio/mpeg',
  'audio/x-mp3': 'audio/mpeg',
  'audio/wave': 'audio/wav',
  'audio/x-wav': 'audio/wav',
  'audio/vnd.wave': 'audio/wav',
  'audio/m4a': 'audio/mp4',
  'audio/x-m4a': 'audio/mp4',
  'audio/x-flac': 'audio/flac',
  'application/x-zip-compressed': 'application/zip',
  'text/x-markdown': 'text/markdown',
};

const unspecific = new Set(['', 'application/octet-stream', 'binary/octet-stream']);

export function bareType(contentType: string): string {
  return (contentType.split(';')[0] ?? '').trim().toLowerCase();
}

/** In any case or under another name; null: not allowed. */
export function allowedTypeOf(contentType: string): AllowedType | null {
  const bare = bareType(contentType);
  const type = Object.hasOwn(otherNames, bare) ? otherNames[bare] : bare;
  return type !== undefined && isAllowedType(type) ? type : null;
}

export function isUnspecific(contentType: string | null | undefined): boolean {
  return unspecific.has(bareType(contentType ?? ''));
}

export function contradictsType(contentType: string | null | undefined, declared: string): boolean {
  if (isUnspecific(contentType)) return false;
  const named = allowedTypeOf(contentType ?? '');
  return named === null || named !== allowedTypeOf(declared);
}

export function isAllowedType(contentType: string): contentType is AllowedType {
  return Object.hasOwn(extensions, contentType);
}

/** Without a dot; null for a type that may not be stored. */
export function extensionOf(contentType: string): string | null {
  return isAllowedType(contentType) ? extensions[contentType] : null;
}

export const headBytes = 4100;

/** By magic bytes in the first `headBytes`; null without any, as in text. */
export async function detectType(head: Buffer): Promise<string | null> {
  const { fileTypeFromBuffer } = await import('file-type');
  const detected = await fileTypeFromBuffer(head).catch(() => undefined);
  return detected?.mime.split(';')[0] ?? null;
}

const textTypes = new Set(['text/plain', 'text/csv', 'text/markdown', 'application/json']);

const zipMagics = new Set(['504b0304', '504b0506']);

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

export async function matchesDeclaredType(head: Buffer, declared: string): Promise<boolean> {
  if (!isAllowedType(declared) || head.length === 0) return false;
  if (textTypes.has(declared)) return isText(head);
  // Office files are zips too, and the detector returns their own types.
  if (declared === 'application/zip') return zipMagics.has(head.toString('hex', 0, 4));
  const detected = await detectType(head);
  return detected !== null && (detected === declared || (aliases[declared]?.includes(detected) ?? false));
}

/** UTF-8 without NUL. `stream` allows a last character that the head cuts in two. */
function isText(head: Buffer): boolean {
  if (head.includes(0)) return false;
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(head, { stream: true });
    return true;
  } catch {
    return false;
  }
}

export async function detectAllowedType(head: Buffer): Promise<string | null> {
  const detected = await detectType(head);
  if (detected === null) return (await matchesDeclaredType(head, 'text/plain')) ? 'text/plain' : null;
  const candidates = [detected, ...allowedTypes.filter((type) => !isTextType(type))];
  for (const type of candidates) {
    if (await matchesDeclaredType(head, type)) return type;
  }
  return null;
}

function isTextType(type: string): boolean {
  return type.startsWith('text/') || type === 'application/json';
}

/** Some models' videos are animated images; audio may come in video containers. */
const families: Partial<Record<OutputKind, RegExp>> = {
  images: /^image\//,
  videos: /^(video\/|image\/(gif|webp|avif)$)/,
  audios: /^audio\//,
};

const audioIn: Record<string, string> = { 'video/mp4': 'audio/mp4', 'video/webm': 'audio/webm' };

/** Null for a type that is not allowed or not of the model's output kind. The declared type counts for text only. */
export async function outputType(
  head: Buffer,
  declared: string | null,
  kind: OutputKind,
): Promise<string | null> {
  const start = head.subarray(0, headBytes);
  const detected = await detectAllowedType(start);
  if (detected === null) return null;
  if (isTextType(detected)) return kind === 'files' || kind === 'raw' ? textType(start, declared) : null;
  const type = kind === 'audios' ? (audioIn[detected] ?? detected) : detected;
  return families[kind]?.test(type) === false ? null : type;
}

const htmlOrSvg = /^\s*(<\?xml[^>]*>\s*)?(<!doctype|<html|<svg)/i;

async function textType(head: Buffer, declared: string | null): Promise<string | null> {
  if (htmlOrSvg.test(head.toString('utf8', 0, 512))) return null;
  if (isUnspecific(declared)) return 'text/plain';
  if (declared === null || !isTextType(declared)) return null;
  return (await matchesDeclaredType(head, declared)) ? declared : 'text/plain';
}
