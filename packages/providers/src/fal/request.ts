import { isNumber } from '@holdfast/domain/json';
import type { Connection } from '../connection.ts';
import type { Submission } from '../interface.ts';

/** Outputs are copied at once, so fal need not keep them. */
const lifecycle = JSON.stringify({ expiration_duration_seconds: 3600 });

type Call = { url: string; headers: Record<string, string>; json: Record<string, unknown> };

export function submitRequest(
  submission: Submission,
  { baseUrl }: Pick<Connection, 'baseUrl'>,
  awaitsCallback: boolean,
): Call {
  const { callbackUrl } = submission;
  const called =
    awaitsCallback && callbackUrl !== null ? `?fal_webhook=${encodeURIComponent(callbackUrl)}` : '';
  return callOf(submission, `${baseUrl}/${pathOf(submission)}${called}`);
}

/** Streams are outside the queue: fal serves them at another host. */
export function streamRequest(submission: Submission, { baseUrl }: Pick<Connection, 'baseUrl'>): Call {
  const direct = baseUrl.replace(/^https:\/\/queue\.fal\.run(?=\/|$)/, 'https://fal.run');
  const path = pathOf(submission);
  return callOf(submission, `${direct}/${path}${path.endsWith('/stream') ? '' : '/stream'}`);
}

/** Option `path` is a path within the application; `strings` are numeric inputs sent as text (`duration: "5"`). */
function callOf({ input, options }: Submission, url: string): Call {
  return {
    url,
    headers: { 'x-fal-object-lifecycle-preference': lifecycle },
    json: withStrings(input, options.strings),
  };
}

function pathOf({ providerModel, options }: Submission): string {
  const steps = `${providerModel}/${typeof options.path === 'string' ? options.path : ''}`.split('/');
  return steps
    .filter((step) => step !== '')
    .map(encodeURIComponent)
    .join('/');
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
