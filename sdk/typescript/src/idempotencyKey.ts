/** The caller's key, or a new random one. @throws TypeError if the key is invalid */
export async function readIdempotencyKey(
  given: string | Promise<string> | null | undefined,
): Promise<string> {
  const key = (await given) ?? newKey();
  // Text with a promise in it, which `deriveKey` returns, would be the key of every order.
  if (typeof key === 'string' && key.includes('[object ')) {
    throw new TypeError('The idempotency key has an object in it: await deriveKey(order).');
  }
  // HTTP drops spaces at the ends, which would make two keys one.
  if (typeof key === 'string' && /^[ -~]{1,255}$/.test(key) && key.trim() === key) return key;
  throw new TypeError(
    'An idempotency key has 1 to 255 printable ASCII characters, and no space at its ends.',
  );
}

/** The time comes first, which makes new keys neighbours in the service's index. */
const newKey = () => `sdk_${Date.now().toString(16)}_${crypto.randomUUID()}`;

/** What a key can be derived from. No fractions: languages write them differently. */
export type KeyPart =
  | string
  | number
  | boolean
  | null
  | readonly KeyPart[]
  | { readonly [name: string]: KeyPart };

/**
 * An idempotency key that follows from your own data, such as an order number: the same in every process, after every
 * crash, and in the SDKs of other languages. So one order is one execution, whoever repeats it.
 * @throws TypeError if `order` is empty, or has a fraction
 */
export async function deriveKey(order: KeyPart): Promise<string> {
  // Empty data would give different orders the same key.
  if (isEmpty(order)) {
    throw new TypeError('deriveKey needs data that differs from order to order.');
  }
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(canonical(order)));
  return `order_${[...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}

function isEmpty(part: KeyPart | undefined): boolean {
  if (part === undefined || part === null || part === '') return true;
  return (Array.isArray(part) || isPlain(part)) && Object.values(part).every(isEmpty);
}

/** JSON without spaces, with sorted names and no characters beyond ASCII. */
function canonical(part: KeyPart): string {
  if (typeof part === 'number') {
    if (Number.isSafeInteger(part)) return String(part);
    throw new TypeError(`deriveKey takes no number like ${part}: pass it as text.`);
  }
  if (typeof part === 'string') return ascii(part);
  if (typeof part === 'boolean' || part === null) return String(part);
  if (Array.isArray(part)) return `[${part.map(canonical).join(',')}]`;
  if (!isPlain(part)) throw new TypeError('deriveKey takes plain data only: pass a Date as text.');
  const entries = Object.entries(part).map(([name, value]) => [ascii(name), canonical(value)]);
  return `{${entries
    .sort(([a = ''], [b = '']) => (a < b ? -1 : 1))
    .map((entry) => entry.join(':'))
    .join(',')}}`;
}

/** Anything else has no fields of its own, and would make the same key as every other. */
function isPlain(part: unknown): part is Record<string, KeyPart> {
  if (typeof part !== 'object' || part === null) return false;
  const prototype: unknown = Object.getPrototypeOf(part);
  return prototype === Object.prototype || prototype === null;
}

const ascii = (text: string) =>
  JSON.stringify(text).replaceAll(
    /[\u007f-\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
