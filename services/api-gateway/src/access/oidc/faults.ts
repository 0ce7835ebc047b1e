import { ProviderUnreachable } from './provider.ts';

export function isUnreachable(error: unknown): boolean {
  return chain(error).some((one) => one instanceof ProviderUnreachable);
}

/** What may be logged of an error: its causes hold whole responses, with tokens and claims. */
export function loggable(error: unknown): string {
  return chain(error)
    .map((one) => [codeOf(one), one.message].filter(Boolean).join(': '))
    .join('; ')
    .slice(0, 500);
}

/** RFC 6749 defines `error`, such as `invalid_client`. */
function codeOf(error: Error): string | null {
  const { error: oauthCode, code } = error as { error?: unknown; code?: unknown };
  const found = oauthCode ?? code;
  return typeof found === 'string' ? found : null;
}

function chain(error: unknown): Error[] {
  const found: Error[] = [];
  for (let one = error; one instanceof Error && found.length < 5; one = one.cause) found.push(one);
  return found;
}
