const kept = /^(webhook-|x-fal-|content-type$)|sig|time|hmac|digest/;

/** Whether a header (lower case) is stored with a callback: signatures and what they sign, no credentials. */
export function isCallbackHeader(name: string): boolean {
  return kept.test(name);
}
