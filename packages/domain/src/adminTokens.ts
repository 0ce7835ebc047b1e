export type AdminToken = { name: string; token: string };

const unnamed = 'admin';

const named = /^([A-Za-z0-9_.-]{1,40}):([\x21-\x2b\x2d-\x7e]{16,})$/;
/** No colon: it would read as `name:token`. */
const bare = /^[\x21-\x2b\x2d-\x39\x3b-\x7e]{16,}$/;

/** A name may occur twice, for a rotation. Null: a token is under 16 visible ASCII characters, or has two names. */
export function parseAdminTokens(text: string): AdminToken[] | null {
  const tokens = text.split(',').map((one) => tokenOf(one.trim()));
  const isRight = tokens.every((one) => one !== null);
  return isRight && tokens.every((one) => ownerOf(tokens, one.token) === one.name) ? tokens : null;
}

export function firstAdminToken(text: string): string {
  return parseAdminTokens(text)?.[0]?.token ?? text;
}

function ownerOf(tokens: AdminToken[], token: string): string | undefined {
  return tokens.find((one) => one.token === token)?.name;
}

function tokenOf(text: string): AdminToken | null {
  const [, name, token] = named.exec(text) ?? [];
  if (name && token) return { name, token };
  return bare.test(text) ? { name: unnamed, token: text } : null;
}
