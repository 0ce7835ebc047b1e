const kept = /^(webhook-|x-fal-|content-type$)|sig|time|hmac|digest/;

/**
 * Whether a header of a callback is kept with it, by its name in lower case: signatures, and what they are made of. Nothing
 * else is needed, least of all credentials.
 */
export function isCallbackHeader(name: string): boolean {
  return kept.test(name);
}
