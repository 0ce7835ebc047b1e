import type { IncomingHttpHeaders } from 'node:http';
import { ApiError } from '@holdfast/domain/errors';
import { isObject } from '@holdfast/domain/inputFiles';
import { limits } from '@holdfast/domain/limits';

const maxFileS = 365 * 86_400;

/** How long a client wants files to be kept, in seconds; undefined: as long as they are without a wish. */
export function fileLifetimeS(header: string | string[] | undefined): number | undefined {
  try {
    const read: unknown = JSON.parse(header?.toString() ?? '');
    const seconds = isObject(read) ? read['expiration_duration_seconds'] : null;
    if (typeof seconds === 'number' && seconds > 0) return Math.min(Math.ceil(seconds), maxFileS);
  } catch {
    // Not JSON: as if it were absent.
  }
  return undefined;
}

/** What the headers of a request ask of its execution. @throws ApiError */
export function wishesIn(headers: IncomingHttpHeaders) {
  return {
    priority: headers['x-fal-queue-priority'] === 'low' ? ('low' as const) : undefined,
    startTimeoutS: startTimeoutS(headers['x-fal-request-timeout']),
    filesForS: fileLifetimeS(headers['x-fal-object-lifecycle-preference']),
  };
}

function startTimeoutS(header: string | string[] | undefined): number | undefined {
  if (header === undefined) return undefined;
  const seconds = Number(header.toString());
  if (!(seconds > 0))
    throw new ApiError('INPUT_VALIDATION_ERROR', 'X-Fal-Request-Timeout must be a number of seconds.');
  return Math.min(Math.ceil(seconds), limits.maxTimeoutS);
}
