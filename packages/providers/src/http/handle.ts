import { createHash } from 'node:crypto';
import { isNumber } from '@holdfast/domain/json';
import { parseJson } from '@holdfast/egress/response';
import type { Connection, HttpResponse } from '../connection.ts';
import { type Handle, maxIdLength, type Submission } from '../interface.ts';
import { atPlace } from '../place.ts';
import { cancelMethods, type HeaderOptions, type HttpOptions, headerOptions } from './options.ts';
import { fill, fillPath, type Values } from './template.ts';

/** Paths start at the host. `headers` name settings, as cancels lack the model; `failures`: unclear polls in a row. */
export type HttpHandle = Handle & {
  poll?: string;
  cancel?: string;
  cancelMethod?: string;
  cancelBody?: string;
  headers: string;
  failures?: string;
};

/** `otherwise`: the poll path when the response has none. */
export function handleOf(
  { json, headers }: Pick<HttpResponse, 'json' | 'headers'>,
  options: HttpOptions,
  { token, providerModel: model }: Submission,
  connection: Connection,
  otherwise?: string,
): HttpHandle {
  const id = idIn(json, options) ?? createHash('sha256').update(`http ${token}`).digest('hex').slice(0, 32);
  const values = { id, token, model };
  const { poll, cancel } = options;
  const given = poll?.at ? atPlace(json, poll.at) : headers[(poll?.header ?? 'location').toLowerCase()];
  const configured = poll?.path
    ? pathBelow(connection, poll.path, values)
    : poll && ownPath(connection, given);
  const pollPath = configured ?? otherwise;
  const cancelPath = cancel && pathBelow(connection, cancel.path, values);
  return {
    externalId: id,
    headers: JSON.stringify(options.headers),
    ...(pollPath && { poll: pollPath }),
    ...(cancel && cancelPath && { cancel: cancelPath, cancelMethod: cancel.method }),
    ...(cancelPath &&
      cancel?.body !== undefined && { cancelBody: JSON.stringify(fill(cancel.body, values)) }),
  };
}

/** Null when the response names no URL of the connection's host. */
export function resultPathOf(
  { json, headers }: Pick<HttpResponse, 'json' | 'headers'>,
  { externalId: id }: Handle,
  { result }: HttpOptions,
  { token, providerModel: model }: Submission,
  connection: Connection,
): string | null {
  if (result?.path) return pathBelow(connection, result.path, { id, token, model });
  return ownPath(
    connection,
    result?.at ? atPlace(json, result.at) : headers[result?.header?.toLowerCase() ?? ''],
  );
}

export function cancelOf(
  handle: Handle,
): { method: (typeof cancelMethods)[number]; path: string; headers: HeaderOptions; json?: unknown } | null {
  const { cancel: path, cancelMethod, cancelBody, headers } = handle as HttpHandle;
  const method = cancelMethods.find((one) => one === cancelMethod);
  if (path === undefined || method === undefined) return null;
  return {
    method,
    path,
    headers: headerOptions.catch({}).parse(parseJson(headers)),
    ...(cancelBody !== undefined && { json: parseJson(cancelBody) }),
  };
}

export function idIn(json: unknown, { id }: HttpOptions): string | undefined {
  const found = id === undefined ? undefined : atPlace(json, id);
  const text = isNumber(found) ? String(found) : found;
  return typeof text === 'string' && text !== '' && text.length <= maxIdLength ? text : undefined;
}

type Base = Pick<Connection, 'baseUrl'>;

/** Without the path of the base URL: a server may return URLs beside it. */
export function rootOf({ baseUrl }: Base): string {
  const url = new URL(baseUrl);
  url.pathname = '/';
  url.search = '';
  url.hash = '';
  return url.href.replace(/\/$/, '');
}

/** A path below the base URL, from the root of the host; null when a value would escape it. */
export function pathBelow({ baseUrl }: Base, template: string, values: Values): string | null {
  const path = fillPath(template, values);
  return path === null ? null : `${new URL(baseUrl).pathname.replace(/\/+$/, '')}${path}`;
}

/** The path of a returned URL; null when it is on another host. */
export function ownPath({ baseUrl }: Base, given: unknown): string | null {
  if (typeof given !== 'string' || given === '') return null;
  const own = new URL(baseUrl);
  const url = URL.parse(given, own.href);
  return url !== null && url.origin === own.origin ? url.pathname + url.search : null;
}
