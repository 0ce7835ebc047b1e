import type { Execution } from './execution.ts';
import { isId } from './ids.ts';
import { isObject } from './inputFiles.ts';
import { type ExecutionStatus, isTerminal } from './statuses.ts';

type PredictionStatus = 'starting' | 'processing' | 'succeeded' | 'failed' | 'canceled';

/** Clients know no other words. */
const statuses: Record<ExecutionStatus, PredictionStatus> = {
  PENDING: 'starting',
  PROCESSING: 'processing',
  AWAITING_WEBHOOK: 'processing',
  COMPLETED: 'succeeded',
  FAILED: 'failed',
  EXPIRED: 'failed',
  CANCELLED: 'canceled',
};

/** An execution as Replicate's API shows it. `isNew`: to those who take any other status than `starting` for the end. */
export function predictionRecord(
  execution: Execution,
  shown: {
    model: string;
    version: string;
    input: Record<string, unknown>;
    output: unknown;
    urls: Record<string, string>;
    isNew?: boolean;
  },
) {
  const { id, status, erasedAt, logs, createdAt, startedAt, completedAt } = execution;
  const { model, version, input, output, urls, isNew = false } = shown;
  return {
    id,
    model,
    version,
    input,
    logs: logs ?? '',
    output,
    data_removed: erasedAt !== null,
    error: errorOf(execution),
    source: 'api',
    status: isNew && !isTerminal(status) ? 'starting' : statuses[status],
    created_at: createdAt.toISOString(),
    started_at: startedAt?.toISOString() ?? null,
    completed_at: completedAt?.toISOString() ?? null,
    metrics: metricsOf(execution),
    urls,
  };
}

function errorOf({ status, errorMessage }: Execution): string | null {
  if (status === 'EXPIRED') return 'Deadline exceeded';
  return status === 'FAILED' ? (errorMessage ?? 'The prediction failed.') : null;
}

function metricsOf({ createdAt, startedAt, completedAt, inputTokens, outputTokens }: Execution) {
  if (completedAt === null) return {};
  const secondsFrom = (from: Date) => (completedAt.getTime() - from.getTime()) / 1000;
  return {
    total_time: secondsFrom(createdAt),
    ...(startedAt !== null && { predict_time: secondsFrom(startedAt) }),
    ...(inputTokens !== null && { input_token_count: inputTokens }),
    ...(outputTokens !== null && { output_token_count: outputTokens }),
  };
}

/** Lists of files, by the name of the only member of an output. */
const fileLists = ['images', 'videos', 'audios', 'files'];

export type UrlOf = (fileId: string, filename: string) => string | Promise<string>;

/** An output as Replicate's models give it: a text, URLs, or any JSON with URLs in place of files. */
export async function predictionOutput(output: Record<string, unknown>, urlOf: UrlOf): Promise<unknown> {
  const entries = Object.entries(output);
  const [[name, only] = ['', null]] = entries;
  if (entries.length !== 1) return await withUrls(output, urlOf);
  if (name === 'text') return only;
  if (!fileLists.includes(name) || !Array.isArray(only)) return await withUrls(output, urlOf);
  const urls = await Promise.all(only.map((file) => withUrls(file, urlOf)));
  return name !== 'images' && urls.length === 1 ? urls[0] : urls;
}

async function withUrls(value: unknown, urlOf: UrlOf): Promise<unknown> {
  if (Array.isArray(value)) return await Promise.all(value.map((one) => withUrls(one, urlOf)));
  if (!isObject(value)) return value;
  const { file_id: id, format } = value;
  if (typeof id === 'string' && isId('file', id))
    return await urlOf(id, `output.${typeof format === 'string' ? format : 'bin'}`);
  const members = Object.entries(value).map(
    async ([name, one]) => [name, await withUrls(one, urlOf)] as const,
  );
  return Object.fromEntries(await Promise.all(members));
}
