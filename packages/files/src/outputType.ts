import type { OutputKind } from '@holdfast/domain/modelResponse';
import { isUnspecific } from './allowedTypes.ts';
import { headBytes, matchesDeclaredType } from './detectType.ts';
import { foundType, isTextType } from './foundType.ts';

/** A page that a server sends in place of a file. */
const page = /^\s*(<\?xml[^>]*>\s*)?(<!doctype|<html|<svg)/i;

/** Some models' videos are animated pictures; audio may come in the containers of video. */
const families: Partial<Record<OutputKind, RegExp>> = {
  images: /^image\//,
  videos: /^(video\/|image\/(gif|webp|avif)$)/,
  audios: /^audio\//,
};

const audioIn: Record<string, string> = { 'video/mp4': 'audio/mp4', 'video/webm': 'audio/webm' };

/**
 * The type under which a file that a model made is stored, from its first bytes; null when it is not what the model makes,
 * or of no type that is stored. What was declared counts for text alone, which no magic bytes tell.
 */
export async function outputType(
  head: Buffer,
  declared: string | null,
  kind: OutputKind,
): Promise<string | null> {
  const start = head.subarray(0, headBytes);
  const found = await foundType(start);
  if (found === null) return null;
  if (isTextType(found)) return kind === 'files' || kind === 'raw' ? textType(start, declared) : null;
  const type = kind === 'audios' ? (audioIn[found] ?? found) : found;
  return families[kind]?.test(type) === false ? null : type;
}

async function textType(head: Buffer, declared: string | null): Promise<string | null> {
  if (page.test(head.toString('utf8', 0, 512))) return null;
  if (isUnspecific(declared)) return 'text/plain';
  if (declared === null || !isTextType(declared)) return null;
  return (await matchesDeclaredType(head, declared)) ? declared : 'text/plain';
}
