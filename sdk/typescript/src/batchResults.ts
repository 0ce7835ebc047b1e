import { ConnectionError, HoldfastError } from './errors.ts';
import { type Http, type RequestOptions, startAttempt } from './http.ts';
import { backoff, sleep } from './retries.ts';
import { chunksOf } from './serverSentEvents.ts';
import type { Batch, BatchResult } from './types.ts';

/** A download that fails this often without a further line gives up. */
const maxFailures = 5;

/** Reads both files of a batch: completed items come first. A broken download goes on behind the last line. */
export async function* readResults(
  http: Http,
  read: () => PromiseLike<Pick<Batch, 'output_file_id' | 'error_file_id'>>,
  options: RequestOptions,
): AsyncGenerator<BatchResult, void, undefined> {
  const { output_file_id: output, error_file_id: error } = await read();
  for (const id of [output, error]) yield* resultsIn(http, id, options);
}

async function* resultsIn(
  http: Http,
  id: string,
  options: RequestOptions,
): AsyncGenerator<BatchResult, void, undefined> {
  let taken = 0;
  for (let failures = 0; ; ) {
    let skipped = 0;
    try {
      for await (const line of linesOfFile(http, id, options)) {
        if (skipped < taken) {
          skipped += 1;
          continue;
        }
        taken += 1;
        skipped += 1;
        failures = 0;
        yield JSON.parse(line) as BatchResult;
      }
      return;
    } catch (thrown) {
      failures += 1;
      const isCurable = thrown instanceof HoldfastError && thrown.retryable && !options.signal?.aborted;
      if (!isCurable || failures > maxFailures) throw thrown;
      await sleep(backoff(failures), options.signal);
    }
  }
}

async function* linesOfFile(
  http: Http,
  id: string,
  options: RequestOptions,
): AsyncGenerator<string, void, undefined> {
  const path = `/v1/files/${encodeURIComponent(id)}/download`;
  const { response, close } = await http.repeat(
    () => http.open({ method: 'GET', path, headers: { Accept: '*/*' } }, options),
    { ...options, isRepeatable: true },
  );
  const chunks = chunksOf(response.body ?? new ReadableStream());
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for (;;) {
      // The timeout is one of each piece: the caller may take long with a line.
      const attempt = startAttempt(options.signal, options.timeout ?? http.settings.timeout);
      attempt.signal.addEventListener('abort', close, { once: true });
      const { done, value } = await attempt.reading(() => chunks.next()).finally(() => attempt.endTimeout());
      if (done) break;
      const lines = (rest + decoder.decode(value, { stream: true })).split('\n');
      rest = lines.pop() ?? '';
      yield* lines;
    }
    if (rest !== '')
      throw new ConnectionError({ code: 'INVALID_RESPONSE', message: 'The file ended within a line.' });
  } finally {
    close();
  }
}
