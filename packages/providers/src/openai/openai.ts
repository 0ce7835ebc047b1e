import { type Connection, connect } from '../connection.ts';
import type { Progress, Provider, Submission } from '../interface.ts';
import { networkProgress } from '../networkProgress.ts';
import { failure } from '../outcome/failure.ts';
import { readAnswer } from './answer.ts';
import { readRefusal } from './refusal.ts';
import { endpointOf, requestOf } from './request.ts';

/**
 * Servers that speak OpenAI's chat completions or images: OpenAI, vLLM, Ollama, llama.cpp, LM Studio, LiteLLM.
 * They answer at once: nothing to poll, no callback, and a cancel is an aborted submit. They take no idempotency
 * token, so a submit whose answer is lost is never sent again.
 */
export function createOpenai(connection: Connection): Provider {
  const http = connect({ ...connection, baseUrl: versioned(connection.baseUrl) });

  async function submit(submission: Submission, signal: AbortSignal): Promise<Progress> {
    const { path, json } = requestOf(submission);
    const { timeoutMs, mapping, options, providerModel } = submission;
    const startedMs = performance.now();
    const result = await http.request('POST', path, {
      json,
      timeoutMs,
      signal,
    });
    if (!result.ok) return networkProgress(result);
    if (result.status >= 300) return readRefusal(result, mapping, { ...connection, providerModel });
    const elapsedS = (performance.now() - startedMs) / 1000;
    return {
      state: 'ended',
      outcome: readAnswer(result.json, endpointOf(options), mapping, elapsedS),
    };
  }

  const lost: Progress = {
    state: 'unknown',
    outcome: failure('GENERATION_FAILED', 'The answer of the model was lost.'),
  };
  return {
    name: 'openai',
    close: () => http.close(),
    submit,
    poll: async () => lost,
    recover: async () => lost,
    cancel: async () => undefined,
    handleFor: () => null,
    readCallback: async () => null,
  };
}

/** A base URL with a version in its path is taken as it is, another gets `/v1`. */
function versioned(baseUrl: string): string {
  return /\/v\d[^/]*(\/|$)/.test(new URL(baseUrl).pathname) ? baseUrl : `${baseUrl.replace(/\/+$/, '')}/v1`;
}
