/** Few enough that a job that is tried again repeats little. */
const usuallyPerJob = 100;

/** Cuts hints into lists for a job each: what was written by one statement is passed on in few jobs. */
export function hintChunks<Hint>(hints: Hint[], mostPerJob = usuallyPerJob): Hint[][] {
  const count = Math.ceil(hints.length / mostPerJob);
  return Array.from({ length: count }, (_, index) =>
    hints.slice(index * mostPerJob, (index + 1) * mostPerJob),
  );
}

/** One hint alone is one job under its own id. */
export function chunkId(ids: string[]): string {
  return ids.length === 1 ? String(ids[0]) : `${ids[0]}-and-${ids.length - 1}`;
}
