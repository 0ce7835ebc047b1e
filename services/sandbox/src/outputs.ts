import { randomBytes } from 'node:crypto';
import { createShelf } from './shelf.ts';

export type Output = { bytes: Buffer; contentType: string };

export type Outputs = {
  /** A data URI for a small file; a URL below `origin`, good for an hour, for a big one. */
  publish(bytes: Buffer, contentType: string, origin: string): string;
  get(id: string): Output | undefined;
};

const longestInline = 256 * 1024;

export function createOutputs(): Outputs {
  const shelf = createShelf<Output>({ maxBytes: 512 * 1024 * 1024, keepMs: 3_600_000 });
  return {
    publish(bytes, contentType, origin) {
      if (bytes.length < longestInline) return `data:${contentType};base64,${bytes.toString('base64')}`;
      const id = randomBytes(16).toString('hex');
      shelf.put(id, { bytes, contentType }, bytes.length);
      return `${origin}/outputs/${id}`;
    },
    get: (id) => shelf.get(id),
  };
}
