import type { Connection } from '../connection.ts';
import type { Submission } from '../interface.ts';

/** Files that were made are copied at once; nobody else needs them for longer. */
const lifecycle = JSON.stringify({ expiration_duration_seconds: 3600 });

/**
 * The call that queues a run. Option `path` is a path within the application, `strings` are properties of the input that
 * it takes as text (`duration: "5"`).
 */
export function submitRequest(
  { providerModel, options, input, callbackUrl }: Submission,
  { baseUrl }: Connection,
  isCalled: boolean,
): { url: string; headers: Record<string, string>; json: Record<string, unknown> } {
  const steps = `${providerModel}/${typeof options.path === 'string' ? options.path : ''}`.split('/');
  const path = steps.filter((step) => step !== '').map(encodeURIComponent);
  const called = isCalled && callbackUrl !== null ? `?fal_webhook=${encodeURIComponent(callbackUrl)}` : '';
  return {
    url: `${baseUrl}/${path.join('/')}${called}`,
    headers: { 'x-fal-object-lifecycle-preference': lifecycle },
    json: withStrings(input, options.strings),
  };
}

function withStrings(input: Record<string, unknown>, names: unknown): Record<string, unknown> {
  if (!Array.isArray(names)) return input;
  return Object.fromEntries(
    Object.entries(input).map(([name, value]) => [
      name,
      typeof value === 'number' && names.includes(name) ? String(value) : value,
    ]),
  );
}
