import { createHash } from 'node:crypto';
import type { Answer, Connection } from '../connection.ts';
import { type Handle, longestId, type Submission } from '../interface.ts';
import { atPointer } from '../jsonPointer.ts';
import { parseJson } from '../parseJson.ts';
import { cancelMethods, type HeaderOptions, type HttpOptions, headerOptions } from './options.ts';
import { ownPath, pathBelow } from './paths.ts';

/**
 * What is remembered of an accepted run: paths from the root of the host. `headers`: the model's, by the names of the
 * settings and not their values, for a cancel knows nothing else of the model.
 */
export type HttpHandle = Handle & { poll?: string; cancel?: string; cancelMethod?: string; headers: string };

/** The handle of a run from the answer that accepted it. `otherwise`: where it is asked about when that is not said. */
export function handleOf(
  { json, headers }: Pick<Answer, 'json' | 'headers'>,
  options: HttpOptions,
  { token, providerModel: model }: Submission,
  connection: Connection,
  otherwise?: string,
): HttpHandle {
  const id = idIn(json, options) ?? createHash('sha256').update(`http ${token}`).digest('hex').slice(0, 32);
  const values = { id, token, model };
  const { poll, cancel } = options;
  const given = poll?.at ? atPointer(json, poll.at) : headers[(poll?.header ?? 'location').toLowerCase()];
  const asked = poll?.path ? pathBelow(connection, poll.path, values) : poll && ownPath(connection, given);
  const pollPath = asked ?? otherwise;
  const cancelPath = cancel && pathBelow(connection, cancel.path, values);
  return {
    externalId: id,
    headers: JSON.stringify(options.headers),
    ...(pollPath && { poll: pollPath }),
    ...(cancel && cancelPath && { cancel: cancelPath, cancelMethod: cancel.method }),
  };
}

/** How the run is cancelled; null: it can't be. */
export function cancelOf(
  handle: Handle,
): { method: (typeof cancelMethods)[number]; path: string; headers: HeaderOptions } | null {
  const { cancel: path, cancelMethod, headers } = handle as HttpHandle;
  const method = cancelMethods.find((one) => one === cancelMethod);
  if (path === undefined || method === undefined) return null;
  return { method, path, headers: headerOptions.catch({}).parse(parseJson(Buffer.from(headers))) };
}

/** The server's name of the run in an answer or a callback. */
export function idIn(json: unknown, { id }: HttpOptions): string | undefined {
  const found = id === undefined ? undefined : atPointer(json, id);
  const text = typeof found === 'number' ? String(found) : found;
  return typeof text === 'string' && text !== '' && text.length <= longestId ? text : undefined;
}
