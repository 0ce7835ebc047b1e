import { JSONPathEnvironment } from 'json-p3';

/** Deeper than any document that is read: see parseJson of egress. */
const jsonPath = new JSONPathEnvironment({ maxRecursionDepth: 256 });

const pointer = /^(\/([^~/]|~[01])*)*$/;

/**
 * The value at a place: an RFC 6901 pointer (`/job/id`, or `""` for the whole document), or an RFC 9535 JSONPath
 * (`$.outputs[?@.name == 'text'].data`). A JSONPath that finds several values gives the list of them. Undefined where
 * nothing is found.
 */
export function atPlace(document: unknown, place: string): unknown {
  return place.startsWith('$') ? atPath(document, place) : atPointer(document, place);
}

/** Why a text names no place; null when it does. */
export function placeProblem(place: string): string | null {
  if (!place.startsWith('$'))
    return pointer.test(place)
      ? null
      : 'must be a JSON pointer such as /job/id ("" for the whole answer), or a JSONPath such as $.jobs[0].id';
  try {
    jsonPath.compile(place);
    return null;
  } catch (error) {
    return `is not a JSONPath: ${error instanceof Error ? error.message : String(error)}`;
  }
}

/** The value at an RFC 6901 pointer, own properties only; undefined where it leads nowhere. */
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
