import { limits } from '@holdfast/domain/limits';

const maxBytes = limits.webhookAnswerBytes;

/** More than one character in so many that is no text, and it is none. */
const oddShare = 10;

/**
 * What a receiver answered, for people to read: at most 4096 bytes of UTF-8, cut at a character, which Postgres can
 * store (no NUL) and a terminal can print: control characters and those that turn the direction of text are shown as
 * U+FFFD, as is what is no UTF-8. What is mostly not text is told as `<binary, 1234 bytes>`.
 */
export function answerText(body: Buffer): string {
  // Three more, so that a character which the limit cuts is whole, and known to go too far.
  const text = body.subarray(0, maxBytes + 3).toString('utf8');
  if (plain.test(text) && text.length <= maxBytes) return text;
  const clean = text.replace(unfit, '\ufffd');
  return isBinary(text, clean) ? `<binary, ${body.length} bytes>` : cut(clean);
}

const plain = /^[\t\n\r\x20-\x7e]*$/;
const unfit = /[^\P{Cc}\t\n\r]|[\u202a-\u202e\u2066-\u2069]/gu;

/** NUL stands in no text but UTF-16, which is none here. */
function isBinary(text: string, clean: string): boolean {
  if (text.includes('\0')) return true;
  let odd = 0;
  for (const character of clean) if (character === '\ufffd') odd += 1;
  return odd * oddShare > clean.length;
}

function cut(text: string): string {
  if (Buffer.byteLength(text) <= maxBytes) return text;
  const bytes = Buffer.from(text);
  let end = maxBytes;
  // A byte of the form 10xxxxxx belongs to the character before it.
  while (((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return bytes.toString('utf8', 0, end);
}
