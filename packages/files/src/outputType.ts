import type { OutputKind } from '@holdfast/domain/modelResponse';
import {
  allowedTypeOf,
  anyType,
  extensionFor,
  extensionOf,
  isTextType,
  isUnspecific,
  textTypeOf,
} from './contentTypes.ts';
import { detectAllowedType, detectType, isText } from './detection.ts';
import { extensionIn } from './filename.ts';

/** A file as its provider describes it. */
export type Described = { contentType: string | null; filename: string | null };

/** `extension`: without a dot. */
export type OutputType = { contentType: string; extension: string };

type TypedKind = Exclude<OutputKind, 'files' | 'raw' | 'text'>;

/** Some models' videos are animated images; audio may come in video containers. */
const families: Record<TypedKind, RegExp> = {
  images: /^image\//,
  videos: /^(video\/|image\/(gif|webp|avif)$)/,
  audios: /^audio\//,
};

const audioIn: Record<string, string> = {
  'video/mp4': 'audio/mp4',
  'video/quicktime': 'audio/mp4',
  'video/webm': 'audio/webm',
};

/** In words, for a message: `the type text/html`. */
export type RefusedType = { refused: string };

/** By the bytes; what the provider says decides only which text it is. */
export async function outputType(
  head: Buffer,
  described: Described,
  kind: OutputKind,
): Promise<OutputType | RefusedType> {
  if (!isTyped(kind)) return await attachmentType(head, described);
  const detected = await detectAllowedType(head, '');
  const type = detected !== null && kind === 'audios' ? (audioIn[detected] ?? detected) : detected;
  if (type === null || !families[kind].test(type)) return { refused: await nameOfType(head) };
  return { contentType: type, extension: extensionOf(type) ?? 'bin' };
}

/** Whether a kind has files of its own types alone. */
export function isTyped(kind: OutputKind): kind is TypedKind {
  return Object.hasOwn(families, kind);
}

/** Any bytes are an attachment. Those of another type than the allowed ones keep the extension that the provider gave them. */
async function attachmentType(head: Buffer, described: Described): Promise<OutputType> {
  const named = described.filename === null ? null : extensionIn(described.filename);
  const detected = await detectAllowedType(head, '');
  const type = detected === null || isTextType(detected) ? textType(head, described, named) : detected;
  const extension = type === null ? null : extensionOf(type);
  if (type === null || extension === null || extensionFor(type, described.filename) !== extension)
    return { contentType: anyType, extension: named ?? 'bin' };
  return { contentType: type, extension };
}

function textType(head: Buffer, { contentType }: Described, named: string | null): string | null {
  if (!isText(head) || markupType(head) !== null) return null;
  const declared = allowedTypeOf(contentType ?? '');
  const byName = textTypeOf(named);
  if (declared === null) return isUnspecific(contentType) ? (byName ?? 'text/plain') : null;
  if (!isTextType(declared)) return null;
  return declared === 'text/plain' ? (byName ?? declared) : declared;
}

async function nameOfType(head: Buffer): Promise<string> {
  const type = markupType(head) ?? (await detectType(head)) ?? (isText(head) ? 'text/plain' : null);
  return type === null ? 'an unknown type' : `the type ${type}`;
}

const markup = /^\ufeff?\s*(?:<\?xml[^>]*>\s*)?(?:<!doctype\s+|<)(html|svg)\b/i;

/** The type of a page or a drawing, which may contain scripts. */
function markupType(head: Buffer): string | null {
  const tag = markup.exec(head.toString('utf8', 0, 512))?.[1]?.toLowerCase();
  if (tag === undefined) return null;
  return tag === 'html' ? 'text/html' : 'image/svg+xml';
}
