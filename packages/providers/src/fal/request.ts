import { isNumber } from '@holdfast/domain/json';
import type { Connection } from '../connection.ts';
import type { Submission } from '../interface.ts';

/** Outputs are copied at once, so fal need not keep them. */
const lifecycle = JSON.stringify({ expiration_duration_seconds: 3600 });

/** Option `path` is a path within the application; `strings` are numeric inputs sent as text (`duration: "5"`). */
export function submitRequest(
  { providerModel, options, input, callbackUrl }: Submission,
  { baseUrl }: Connection,
  awaitsCallback: boolean,
): { url: string; headers: Record<string, string>; json: Record<string, unknown> } {
  const steps = `${providerModel}/${typeof options.path === 'string' ? options.path : ''}`.split('/');
  const path = steps.filter((step) => step !== '').map(encodeURIComponent);
  const called =
    awaitsCallback && callbackUrl !== null ? `?fal_webhook=${encodeURIComponent(callbackUrl)}` : '';
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
      isNumber(value) && names.includes(name) ? String(value) : value,
    ]),
  );
}
