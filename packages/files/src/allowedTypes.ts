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
