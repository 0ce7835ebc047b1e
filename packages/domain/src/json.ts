/**
 * JSON whose integers keep their digits: those beyond 2^53 are bigints, which JSON.stringify writes as they were, once
 * this module is loaded. Fractions are doubles, as in most languages. @throws SyntaxError, RangeError if nested too deep
 */
export function parseJson(text: string): unknown {
  // Most texts have no long number, and are parsed five times as fast.
  if (!/\d{16}/.test(text)) return JSON.parse(text);
  const marked = replaceOutsideStrings(text, longInteger, (digits) =>
    Number.isSafeInteger(Number(digits)) ? digits : `"${mark}${digits}"`,
  );
  return marked === text ? JSON.parse(text) : withIntegers(JSON.parse(marked));
}

/** A number of JSON. */
export const isNumber = (value: unknown): value is number | bigint =>
  typeof value === 'number' || typeof value === 'bigint';

/** For code that calculates with a number of a client or provider, and needs no more than its magnitude. */
export function toNumber(value: unknown): unknown {
  return typeof value === 'bigint' ? Number(value) : value;
}

declare global {
  interface BigInt {
    toJSON(): unknown;
  }
  interface JSON {
    rawJSON(text: string): unknown;
  }
}

// oxlint-disable-next-line no-extend-native -- JSON.stringify offers no other way that every caller takes
BigInt.prototype.toJSON = function toJson() {
  return JSON.rawJSON(this.toString());
};

/** Neither part of a fraction nor an exponent, nor in the place of a name, where it is refused. */
const longInteger = /(?<![\d.eE+-])-?[1-9]\d{15,}(?![\d.eE]|[ \t\n\r]*:)/g;

/** Strings that stand for long integers begin with it; no client can know it. */
const mark = `integer ${crypto.getRandomValues(new Uint32Array(4)).join('-')} `;

/** Changes the value in place. An integer beyond the doubles stays infinite, which the database refuses. */
function withIntegers(value: unknown): unknown {
  if (typeof value === 'string') {
    if (!value.startsWith(mark)) return value;
    const digits = value.slice(mark.length);
    return Number.isFinite(Number(digits)) ? BigInt(digits) : Number(digits);
  }
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) {
    // The names of the elements, which are strings, would take longer than all the rest.
    for (let at = 0; at < value.length; at += 1) value[at] = withIntegers(value[at]);
    return value;
  }
  for (const name of Object.keys(value)) {
    const one: unknown = Reflect.get(value, name);
    const whole = withIntegers(one);
    if (whole !== one) Reflect.set(value, name, whole);
  }
  return value;
}

/** `pattern` is global, and matches no quotes. */
export function replaceOutsideStrings(
  text: string,
  pattern: RegExp,
  replacement: (found: string) => string,
): string {
  const parts: string[] = [];
  let copiedTo = 0;
  let quoteAt = text.indexOf('"');
  pattern.lastIndex = 0;
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    let outsideFrom = 0;
    while (quoteAt !== -1 && quoteAt < match.index) {
      outsideFrom = endOfString(text, quoteAt) + 1;
      quoteAt = text.indexOf('"', outsideFrom);
    }
    if (outsideFrom > match.index) {
      pattern.lastIndex = outsideFrom;
      continue;
    }
    parts.push(text.slice(copiedTo, match.index), replacement(match[0]));
    copiedTo = match.index + match[0].length;
  }
  parts.push(text.slice(copiedTo));
  return parts.join('');
}

const backslash = 0x5c;

/** The index of the closing quote of the string at `start`; indexOf skips base64 images quickly. */
export function endOfString(text: string, start: number): number {
  let at = start;
  let isEscaped = true;
  while (isEscaped) {
    at = text.indexOf('"', at + 1);
    if (at === -1) return text.length;
    let before = at - 1;
    while (text.charCodeAt(before) === backslash) before -= 1;
    isEscaped = (at - before) % 2 === 0;
  }
  return at;
}
