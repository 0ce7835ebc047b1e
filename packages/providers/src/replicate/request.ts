import type { Submission } from '../interface.ts';

/** What is run: a version, or an official model, which has none to choose. */
export type Target = { path: string; version: string | null; model: string | null };

const aVersion = /^[0-9a-f]{64}$/;

/**
 * Where a model is run: `provider.options.version`, a model `owner/name:version` or a bare version lead to `/predictions`,
 * `owner/name` to the official model of that name.
 */
export function targetOf({ providerModel, options }: Pick<Submission, 'providerModel' | 'options'>): Target {
  const [name = '', itsVersion] = providerModel.split(':', 2);
  const model = name.includes('/') ? name : null;
  const version =
    typeof options.version === 'string'
      ? options.version
      : (itsVersion ?? (aVersion.test(name) ? name : null));
  if (version !== null) return { path: '/predictions', version, model };
  const steps = name.split('/').map(encodeURIComponent);
  return { path: `/models/${steps.join('/')}/predictions`, version: null, model };
}

/** The body of a create. A webhook is named whenever somebody can call us: it is also what finds a run again. */
export function bodyOf({ version }: Target, { input, callbackUrl }: Submission): object {
  return {
    ...(version !== null && { version }),
    input,
    ...(callbackUrl !== null && { webhook: callbackUrl, webhook_events_filter: ['completed'] }),
  };
}

const shortestS = 5;

/** `Cancel-After`: the provider stops a run that nobody waits for any more. */
export function cancelAfter(timeoutMs: number): string {
  return `${Math.max(shortestS, Math.ceil(timeoutMs / 1000))}s`;
}
