import { type Connection, connect } from '../connection.ts';
import type { Progress, Provider, Submission } from '../interface.ts';
import { lost, unanswered } from '../networkProgress.ts';
import { answerText, withRaw } from '../outcome/raw.ts';
import { callOf } from './call.ts';
import { readCallback } from './callback.ts';
import { cancelOf, type HttpHandle } from './handle.ts';
import { headersOf } from './headers.ts';
import { type HeaderOptions, httpOptions } from './options.ts';
import { rootOf } from './paths.ts';
import { readAsked, readSubmit, runningOf, secretsOf } from './progress.ts';
import { lookUp } from './recovery.ts';

/**
 * A server of your own, whose protocol the model's YAML describes in `provider.options`: see options.ts. It answers at
 * once, or accepts the run and is asked, or calls back. A lost run is sent again or looked up where the options say how.
 */
export function createHttp(connection: Connection): Provider {
  const http = connect({ baseUrl: rootOf(connection), apiKey: null });
  const headersFor = (options: HeaderOptions) => {
    const given = headersOf(connection, options);
    return given.ok ? given.headers : {};
  };
  const asker = (options: HeaderOptions, signal: AbortSignal) => (path: string) =>
    http.request('GET', path, { headers: headersFor(options), timeoutMs: 30_000, signal });

  async function submit(submission: Submission, signal: AbortSignal): Promise<Progress> {
    const call = callOf(submission, connection);
    if (!call.ok) return call.progress;
    const { options, method, path, ...request } = call;
    const startedMs = performance.now();
    const result = await http.request(method, path, { ...request, signal });
    const elapsedS = (performance.now() - startedMs) / 1000;
    return readSubmit(result, { options, submission, connection }, elapsedS);
  }

  return {
    name: 'http',
    close: () => http.close(),
    submit,
    async poll(submission, handle, signal) {
      const options = httpOptions.safeParse(submission.options).data;
      const running = runningOf(submission, handle, options);
      const { poll } = handle as HttpHandle;
      if (options === undefined || poll === undefined) return running;
      const result = await asker(options.headers, signal)(poll);
      if (!result.ok) return unanswered(result, running);
      const reading = { options, submission, connection };
      if (result.status === 404 || result.status === 410)
        return { state: 'ended', outcome: withRaw(lost, answerText(result), secretsOf(reading)) };
      return readAsked(result, handle, reading) ?? running;
    },
    async cancel(handle, signal) {
      const cancel = cancelOf(handle);
      if (cancel === null) return;
      const headers = headersFor(cancel.headers);
      await http.request(cancel.method, cancel.path, { headers, timeoutMs: 10_000, signal });
    },
    handleFor: () => null,
    async readCallback(callback, run) {
      const options = httpOptions.safeParse(run.options).data;
      return options === undefined ? null : readCallback(callback, run, options, connection);
    },
    async recover(submission, signal) {
      const options = httpOptions.safeParse(submission.options).data;
      if (options?.recover) {
        const ask = asker(options.headers, signal);
        return lookUp({ options, submission, connection }, options.recover.path, ask);
      }
      if (options?.idempotency_header === undefined) return { state: 'unknown', outcome: lost };
      const progress = await submit(submission, signal);
      // It says nothing of what was sent before.
      return progress.state === 'refused' ? { ...progress, mayHaveRun: true } : progress;
    },
  };
}
