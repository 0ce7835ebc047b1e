export type AdminToken = { name: string; token: string };

/** Of a token without a name. */
const unnamed = 'admin';

const named = /^([A-Za-z0-9_.-]{1,40}):([\x21-\x2b\x2d-\x7e]{16,})$/;
/** With a colon it would be a name and a token, one of them amiss. */
const bare = /^[\x21-\x2b\x2d-\x39\x3b-\x7e]{16,}$/;

/**
 * ADMIN_TOKEN: one token, or a list `name:token,name:token`, in which a name may stand twice while its token is being
 * rotated. Null when one of them is shorter than 16 visible ASCII characters, or two operators have the same.
 */
export function parseAdminTokens(text: string): AdminToken[] | null {
  const tokens = text.split(',').map((one) => tokenOf(one.trim()));
  const isRight = tokens.every((one) => one !== null);
  return isRight && tokens.every((one) => ownerOf(tokens, one.token) === one.name) ? tokens : null;
}

/** The one to send, of what a gateway has as ADMIN_TOKEN. */
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
