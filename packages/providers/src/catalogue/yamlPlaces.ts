import { type Document, isMap, isNode, isScalar } from 'yaml';

/** Where in the text the key at a path stands, or the nearest one around it when it is missing; undefined: nowhere. */
export function offsetOf(document: Document, path: readonly PropertyKey[]): number | undefined {
  for (let length = path.length; length >= 0; length -= 1) {
    const found = offsetAt(document, path.slice(0, length));
    if (found !== undefined) return found;
  }
  return undefined;
}

function offsetAt(document: Document, path: readonly PropertyKey[]): number | undefined {
  const last = path.at(-1);
  const node: unknown = last === undefined ? document.contents : document.getIn(path, true);
  const parent: unknown = path.length > 1 ? document.getIn(path.slice(0, -1), true) : document.contents;
  if (last !== undefined && isMap(parent)) {
    const key = parent.items.find((pair) => isScalar(pair.key) && pair.key.value === last)?.key;
    if (isNode(key) && key.range) return key.range[0];
  }
  return isNode(node) && node.range ? node.range[0] : undefined;
}
