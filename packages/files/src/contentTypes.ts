import { extensionIn } from './filename.ts';

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
  'video/3gpp': '3gp',
  'model/gltf-binary': 'glb',
  'application/pdf': 'pdf',
  'application/json': 'json',
  'application/x-ndjson': 'jsonl',
  'application/zip': 'zip',
  'text/plain': 'txt',
  'text/csv': 'csv',
  'text/markdown': 'md',
} as const;

export type AllowedType = keyof typeof extensions;

export const allowedTypes = Object.keys(extensions) as AllowedType[];

/** As browsers, Windows and other tools name them. */
const otherNames: Readonly<Record<string, AllowedType>> = {
  'image/jpg': 'image/jpeg',
  'image/pjpeg': 'image/jpeg',
  'image/x-png': 'image/png',
  'image/apng': 'image/png',
  'image/tif': 'image/tiff',
  'image/x-tiff': 'image/tiff',
  'image/x-bmp': 'image/bmp',
  'image/x-ms-bmp': 'image/bmp',
  'image/heif': 'image/heic',
  'image/heic-sequence': 'image/heic',
  'image/heif-sequence': 'image/heic',
  'audio/mp3': 'audio/mpeg',
  'audio/x-mp3': 'audio/mpeg',
  'audio/x-mpeg': 'audio/mpeg',
  'audio/wave': 'audio/wav',
  'audio/x-wav': 'audio/wav',
  'audio/x-pn-wav': 'audio/wav',
  'audio/vnd.wave': 'audio/wav',
  'audio/opus': 'audio/ogg',
  'application/ogg': 'audio/ogg',
  'audio/m4a': 'audio/mp4',
  'audio/x-m4a': 'audio/mp4',
  'audio/x-flac': 'audio/flac',
  'audio/x-aac': 'audio/aac',
  'audio/aacp': 'audio/aac',
  'audio/vnd.dlna.adts': 'audio/aac',
  'video/x-m4v': 'video/mp4',
  'video/matroska': 'video/x-matroska',
  'video/3gpp2': 'video/3gpp',
  'application/x-pdf': 'application/pdf',
  'application/x-zip': 'application/zip',
  'application/x-zip-compressed': 'application/zip',
  'application/ndjson': 'application/x-ndjson',
  'application/jsonl': 'application/x-ndjson',
  'application/x-jsonlines': 'application/x-ndjson',
  'text/json': 'application/json',
  'text/x-markdown': 'text/markdown',
  // Windows with Excel calls CSV so.
  'application/vnd.ms-excel': 'text/csv',
  'application/csv': 'text/csv',
  'text/x-csv': 'text/csv',
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

/** Without a dot; null for a type that has none of its own. */
export function extensionOf(contentType: string): string | null {
  return isAllowedType(contentType) ? extensions[contentType] : null;
}

/** Formats of other files, such as DOCX and SRT, whose extension says more than their type. */
const carriers = new Set(['application/zip', 'text/plain']);

/** The name's extension, if it says more than the type; null for neither. */
export function extensionFor(contentType: string, filename: string | null): string | null {
  const named = filename === null ? null : extensionIn(filename);
  return carriers.has(contentType) && named !== null ? named : extensionOf(contentType);
}

/** The type of an attachment whose own is not allowed. */
export const anyType = 'application/octet-stream';

const textTypes = new Set<string>([
  'text/plain',
  'text/csv',
  'text/markdown',
  'application/json',
  'application/x-ndjson',
]);

export function isTextType(contentType: string): boolean {
  return textTypes.has(contentType);
}

const textTypesByExtension: Readonly<Record<string, AllowedType>> = {
  txt: 'text/plain',
  csv: 'text/csv',
  md: 'text/markdown',
  markdown: 'text/markdown',
  json: 'application/json',
  jsonl: 'application/x-ndjson',
  ndjson: 'application/x-ndjson',
};

/** Bytes alone do not tell one text type from another. Null for an extension of none. */
export function textTypeOf(extension: string | null): AllowedType | null {
  return extension !== null && Object.hasOwn(textTypesByExtension, extension)
    ? (textTypesByExtension[extension] ?? null)
    : null;
}
