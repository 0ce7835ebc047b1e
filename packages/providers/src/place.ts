import { JSONPathEnvironment } from 'json-p3';

/** Deeper than any parsed document (egress/response.ts). */
const jsonPath = new JSONPathEnvironment({ maxRecursionDepth: 256 });

const pointer = /^(\/([^~/]|~[01])*)*$/;

/** By RFC 6901 pointer (`""`: all) or RFC 9535 JSONPath, whose values become a list if several; undefined: nothing found. */
export function atPlace(document: unknown, place: string): unknown {
  return place.startsWith('$') ? atPath(document, place) : atPointer(document, place);
}

export function placeProblem(place: string): string | null {
  if (!place.startsWith('$'))
    return pointer.test(place)
      ? null
      : 'must be a JSON pointer such as /job/id ("" for the whole response), or a JSONPath such as $.jobs[0].id';
  try {
    jsonPath.compile(place);
    return null;
  } catch (error) {
    return `is not a JSONPath: ${error instanceof Error ? error.message : String(error)}`;
  }
}

/** Own properties only. */
function atPointer(document: unknown, path: string): unknown {
  return path
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>(
      (at, step) =>
        at !== null && typeof at === 'object' && Object.hasOwn(at, step)
          ? (at as Record<string, unknown>)[step]
          : undefined,
      document,
    );
}

function atPath(document: unknown, path: string): unknown {
  try {
    const [first, ...more] = jsonPath.query(path, document as never).values();
    return more.length === 0 ? first : [first, ...more];
  } catch {
    return undefined;
  }
}
