import { reasonOf } from '@holdfast/kit/within';

const workers = 8;

/** Runs `work` on each item, eight at once; the first error is thrown once all have stopped. */
export async function withEach<Item>(
  items: Iterable<Item> | AsyncIterable<Item>,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const queue = Symbol.asyncIterator in items ? items[Symbol.asyncIterator]() : items[Symbol.iterator]();
  let failed = false;
  const worker = async () => {
    while (!failed) {
      const { done, value } = await queue.next();
      if (done) return;
      try {
        await work(value);
      } catch (error) {
        failed = true;
        throw error;
      }
    }
  };
  const results = await Promise.allSettled(Array.from({ length: workers }, worker));
  for (const result of results) if (result.status === 'rejected') throw result.reason;
}

/** Names the store in errors of copying, which could otherwise be taken for the database's. */
export async function copying<Result>(files: Promise<Result>): Promise<Result> {
  try {
    return await files;
  } catch (error) {
    throw new Error(`copying the files, from or to the store: ${reasonOf(error)}`, { cause: error });
  }
}
