import { afterAll } from '@jest/globals';

const closes: (() => unknown)[] = [];

afterAll(async () => {
  for (const close of closes.toReversed()) await close();
}, 60_000);

/** Closes a resource after all tests of the file that opened it, the last one first. */
export function closing<Resource extends { close(): unknown }>(resource: Resource): Resource {
  closes.push(() => resource.close());
  return resource;
}
