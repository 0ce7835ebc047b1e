import { type Connection, connect } from '../connection.ts';
import { brokenOff } from '../eventStream.ts';
import type { Progress, Provider, Submission } from '../interface.ts';
import { lost, networkProgress } from '../progress.ts';
import { showBytes } from '../shownBytes.ts';
import { streamChat } from './chat.ts';
import { streamImages } from './imageStream.ts';
import { readOutcome, responseForm } from './outcome.ts';
import { readRefusal } from './refusal.ts';
import { endpointOf, requestOf, sinkOf } from './request.ts';
import { streamResponse } from './responseStream.ts';
import { cancelResponse, pollResponse, submitResponse } from './responses.ts';

/** Servers with OpenAI's protocol. No call takes an idempotency token: a submit whose response is lost is never repeated. */
export function createOpenai(connection: Connection): Provider {
  const http = connect({ ...connection, baseUrl: versioned(connection.baseUrl) });

  async function submit(submission: Submission, signal: AbortSignal): Promise<Progress> {
    const { timeoutMs, mapping, options } = submission;
    const endpoint = endpointOf(options);
    const sink = sinkOf(submission);
    if (endpoint === 'responses')
      return sink
        ? streamResponse(http, connection, submission, sink, signal)
        : submitResponse(http, connection, submission, signal);
    if (endpoint === 'chat' && sink) return streamChat(http, connection, submission, sink, signal);
    if ((endpoint === 'images' || endpoint === 'image_edits') && sink)
      return streamImages(http, connection, { submission, endpoint, sink }, signal);
    const { path, ...request } = requestOf(submission);
    const startedMs = performance.now();
    const result = await http.request('POST', path, {
      ...request,
      ...(endpoint === 'speech' && { headers: { accept: '*/*' } }),
      bodyAs: responseForm(endpoint, sink !== null),
      timeoutMs,
      signal,
    });
    if (!result.ok) return networkProgress(result);
    if (result.status >= 300) return readRefusal(result, submission, connection);
    const { stream, ...response } = result;
    const shown = sink && stream ? await showBytes(stream, sink) : null;
    if (shown !== null && 'by' in shown) return brokenOff(shown, signal);
    const elapsedS = (performance.now() - startedMs) / 1000;
    const whole = shown === null ? result : { ...response, bytes: shown };
    return readOutcome(whole, endpoint, mapping, elapsedS, connection);
  }

  return {
    name: 'openai',
    close: () => http.close(),
    submit,
    poll: (submission, handle, signal) => pollResponse(http, connection, submission, handle, signal),
    recover: async () => ({ state: 'unknown', outcome: lost }),
    cancel: (handle, signal) => cancelResponse(http, handle, signal),
    handleFor: () => null,
    readCallback: async () => null,
  };
}

/** A base URL without a version in its path gets `/v1`. */
export function versioned(baseUrl: string): string {
  return /\/v\d[^/]*(\/|$)/.test(new URL(baseUrl).pathname) ? baseUrl : `${baseUrl.replace(/\/+$/, '')}/v1`;
}
