import { type Signers, signatureHeaders } from '@holdfast/domain/webhookSignature';

/** What a custom header may not be called, beside the names we send: they would change the request itself. */
const refused =
  /^(host|content-.*|transfer-encoding|connection|keep-alive|te|trailer|upgrade|expect|proxy-.*)$/i;

/** The headers of one attempt: the endpoint's own, and ours over them, signed now. */
export function requestHeaders(args: {
  custom: Record<string, string>;
  signers: Signers;
  eventId: string;
  body: string;
  /** The attempt's place in a trace; null: none. */
  traceparent: string | null;
}): Record<string, string> {
  const { custom, traceparent, ...signed } = args;
  const ours = {
    'Content-Type': 'application/json',
    'User-Agent': 'Holdfast-Webhooks/1.0',
    ...signatureHeaders({ ...signed, timestampS: Math.floor(Date.now() / 1000) }),
    ...(traceparent !== null && { traceparent }),
  };
  const taken = new Set(Object.keys(ours).map((name) => name.toLowerCase()));
  const allowed = Object.entries(custom).filter(
    ([name]) => !taken.has(name.toLowerCase()) && !refused.test(name),
  );
  return { ...Object.fromEntries(allowed), ...ours };
}
