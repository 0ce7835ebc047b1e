/** What may be uploaded, with the extension for each. SVG and HTML are not: they can carry scripts. */
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

export function isAllowedType(contentType: string): contentType is AllowedType {
  return Object.hasOwn(extensions, contentType);
}

/** Without a dot; null for a type that may not be stored. */
export function extensionOf(contentType: string): string | null {
  return isAllowedType(contentType) ? extensions[contentType] : null;
}
