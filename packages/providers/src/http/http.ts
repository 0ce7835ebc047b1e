import { type Connection, connect } from '../connection.ts';
import type { Handle, Progress, Provider, Submission } from '../interface.ts';
import { failure } from '../outcome/failure.ts';
import { responseText, withRaw } from '../outcome/raw.ts';
import { lost } from '../progress.ts';
import { callOf, headersOf } from './call.ts';
import { readCallback } from './ended.ts';
import { cancelOf, type HttpHandle, handleOf, pathBelow, rootOf } from './handle.ts';
import { type HeaderOptions, httpOptions } from './options.ts';
import { type Query, queryRun, readPoll } from './poll.ts';
import { type Reading, readSubmit, runningOf, secretsOf } from './progress.ts';
import { followEvents } from './runEvents.ts';
import { readStreamed, streamedOf } from './stream.ts';

const pollTimeoutMs = 30_000;
const cancelTimeoutMs = 10_000;

/** Any server whose protocol the model's YAML describes (options.ts): it responds at once, streams, is polled or calls back. */
export function createHttp(connection: Connection): Provider {
  const http = connect({ baseUrl: rootOf(connection), apiKey: null });
  const headersFor = (options: HeaderOptions) => {
    const given = headersOf(connection, options);
    return given.ok ? given.headers : {};
  };
  const queryWith =
    (options: HeaderOptions, signal: AbortSignal): Query =>
    (path, { method = 'GET', headers, ...request } = {}) => {
      const all = { ...headers, ...headersFor(options) };
      return http.request(method, path, { timeoutMs: pollTimeoutMs, ...request, headers: all, signal });
    };

  async function cancel(handle: Handle, signal: AbortSignal): Promise<void> {
    const call = cancelOf(handle);
    if (call === null) return;
    const { method, path, headers, ...body } = call;
    const timeoutMs = cancelTimeoutMs;
    await http.request(method, path, { ...body, headers: headersFor(headers), timeoutMs, signal });
  }

  /** Cancels a run whose result can no longer be received. */
  async function follow(handle: HttpHandle, reading: Reading, signal: AbortSignal): Promise<Progress> {
    const query = queryWith(reading.options.headers, signal);
    const { events } = reading.options.poll ?? {};
    const progress = await (events
      ? followEvents(handle, events, reading, query)
      : queryRun(handle, reading, query));
    const isGivenUp = progress.state === 'ended' && progress.alert !== undefined;
    if (isGivenUp) await cancel(handle, AbortSignal.timeout(cancelTimeoutMs));
    return progress;
  }

  async function submit(submission: Submission, signal: AbortSignal): Promise<Progress> {
    const call = callOf(submission, connection);
    if (!call.ok) return call.progress;
    const { options, method, path, ...request } = call;
    const reading = { options, submission, connection };
    const startedMs = performance.now();
    const result = await http.request(method, path, { ...request, signal });
    const elapsedS = () => (performance.now() - startedMs) / 1000;
    const streamed = streamedOf(submission, options);
    if (streamed) {
      const shown = { ...submission, mode: 'sync', callbackUrl: null } as const;
      return await readStreamed(result, streamed, { ...reading, submission: shown }, elapsedS, signal);
    }
    const progress = await readSubmit(result, reading, elapsedS());
    const isStreamed = options.poll?.events !== undefined && submission.mode === 'sync';
    if (progress.state !== 'running' || !isStreamed) return progress;
    const followed = await follow(progress.handle as HttpHandle, reading, signal);
    // Its handle was not recorded, so no other dispatcher can follow it.
    if (signal.aborted) await cancel(progress.handle, AbortSignal.timeout(cancelTimeoutMs));
    return followed;
  }

  return {
    name: 'http',
    close: () => http.close(),
    submit,
    async poll(submission, handle, signal) {
      const options = httpOptions.safeParse(submission.options).data;
      if (options === undefined || !('poll' in handle)) return runningOf(submission, handle, options);
      return await follow(handle as HttpHandle, { options, submission, connection }, signal);
    },
    cancel,
    handleFor: () => null,
    async readCallback(callback, run) {
      const options = httpOptions.safeParse(run.options).data;
      return options === undefined ? null : readCallback(callback, run, options, connection);
    },
    async recover(submission, signal) {
      const options = httpOptions.safeParse(submission.options).data;
      if (options?.recover) {
        const query = queryWith(options.headers, signal);
        return lookUp({ options, submission, connection }, options.recover.path, query);
      }
      if (options?.idempotency_header === undefined) return { state: 'unknown', outcome: lost };
      const progress = await submit(submission, signal);
      // A refusal says nothing about the first submit.
      return progress.state === 'refused' ? { ...progress, mayHaveRun: true } : progress;
    },
  };
}

/** Looks a run up by our token. 404: it was never accepted. */
export async function lookUp(reading: Reading, template: string, query: Query): Promise<Progress> {
  const { options, submission, connection } = reading;
  const { token, providerModel: model } = submission;
  const path = pathBelow(connection, template, { token, model });
  const result = path === null ? null : await query(path);
  if (path === null || !result?.ok) return { state: 'unknown', outcome: lost };
  const said = responseText(result);
  if (result.status === 404) {
    const outcome = withRaw(failure('MODEL_UNAVAILABLE'), said, secretsOf(reading));
    return { state: 'refused', retryAfterMs: 1000, outcome };
  }
  const handle = handleOf(result, options, submission, connection, path);
  return (
    (await readPoll(result, handle, reading, query)) ?? {
      state: 'unknown',
      outcome: withRaw(lost, said, secretsOf(reading)),
    }
  );
}
