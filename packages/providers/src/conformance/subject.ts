import type { ExecutionErrorCode } from '@holdfast/domain/errors';
import type { Success } from '@holdfast/domain/outcome';
import type { Connection } from '../connection.ts';
import type { Handle, OutputSink, Progress, Provider, RunProgress, Submission } from '../interface.ts';
import type { Reply } from './fakeServer.ts';

/** Texts in errors of the fake server that must not reach a client, like its host and the adapter's name. */
export const secrets = {
  apiKey: 'sk-very-secret-1234567890',
  providerModel: 'acme/secret-model-7b',
  upstream: 'AzureException',
} as const;

export const token = 'token-of-the-attempt';
export const callbackUrl = `http://127.0.0.1:9/callbacks/${token}`;

/** The fields that clients set; the provider's `image` is their `picture`. */
export const sentFields = {
  prompt: { name: 'prompt', schema: { type: 'string' } },
  width: { name: 'width', schema: { type: 'integer' } },
  image: { name: 'picture', schema: { type: 'array', items: { type: 'string' } } },
} as const;

/** The id of a run if the provider chooses it. */
export const providerRunId = 'theirs-4f7d';

/** A run at the fake server. `id`: chosen by the adapter, or else by the provider. */
export type Run = { id: string; baseUrl: string };

/** The wire format of an adapter, for the suite. Lists of replies are in the order of the requests. */
export type Subject = {
  name: string;
  create(connection: Connection): Provider;
  /** `<NAME>_<SETTING>` of the connection, when it needs any. */
  settings?(baseUrl: string): Record<string, string>;
  submission: Partial<Submission>;
  /** The value of the authorization header. Default: a bearer token. */
  authorization?(apiKey: string): string;
  /** The response to a submit that contains the result; absent if the protocol has none. */
  success?(id: string): Reply;
  outcome: Partial<Success>;
  /** Every error response to a submit, and its meaning. */
  failures: SubjectFailure[];
  /** The protocol's response for an invalid field; `text` is its explanation. */
  invalid(field: string, text: string): Reply;
  /** 2xx responses to a submit without a usable result. */
  empty: Reply[];
  /**
   * What `recover` does: it submits again under the same token, cannot find out anything, or looks the run up.
   */
  recovery: 'submits again' | 'impossible' | Recovery;
  /** Absent if every response to a submit contains the result. */
  asyncRuns?: AsyncRuns;
  /** Absent if the adapter cannot stream. */
  streaming?: Streaming;
};

/** A streamed run on the wire. Every text of it ends with a line end, `\n`. */
export type Streaming = {
  submission?: Partial<Submission>;
  /** Default: text. */
  kind?: OutputSink['kind'];
  /** What the sink gets, and the output of the outcome. Default: texts, joined. */
  pieces?: readonly unknown[];
  output?: Record<string, unknown>;
  /** Default: server-sent events. */
  format?: 'ndjson';
  /** The responses in the order of the requests; one is the stream, the last is repeated. Default: the stream alone. */
  replies?(run: Run, stream: Reply): Reply[];
  /** Before the first piece. */
  start?(run: Run): string;
  piece(piece: unknown): string;
  /** The end of a run with these pieces. `usage`: 3 input and 9 output tokens are reported. */
  end(run: Run, content: { pieces: readonly unknown[]; usage: boolean }): string;
  /** Absent if the protocol reports no tokens in streams. */
  reportsUsage?: true;
  /** The run fails in the middle of its output. */
  error(words: string, run: Run): string;
  /** What a submit returns whose stream broke off, or ended early. Default: that its outcome is unknown. */
  afterCut?: { state: Progress['state'] };
};

export type SubjectFailure = {
  name: string;
  reply: Reply;
  state: 'ended' | 'refused' | 'unknown';
  code: ExecutionErrorCode;
  says?: RegExp;
  /** What a refusal asks for. Default: any number of milliseconds. */
  retryAfterMs?: number | null;
  /** Whether a refusing provider lacks capacity. Default: for 429 and 503 that can be retried. */
  busy?: boolean;
  /** Whether the operator is alerted. */
  alerts?: boolean;
};

/** The responses to a lookup after the response to a submit was lost. */
export type Recovery = {
  submission?: Partial<Submission>;
  running(run: Run): Reply[];
  ended(run: Run): Reply[];
  /** The submit was never accepted. */
  absent(run: Run): Reply[];
};

export type AsyncRuns = {
  accepted(run: Run): Reply;
  /** The responses to polls of a running and of a successful run. */
  running(run: Run): Reply[];
  succeeded(run: Run): Reply[];
  /** The responses to polls of a failed run. */
  failures?: { name: string; replies(run: Run): Reply[]; code: ExecutionErrorCode; says?: RegExp }[];
  /** The response to a poll of a running run with all its progress. */
  withProgress?: { replies(run: Run): Reply[]; reported: RunProgress };
  cancel: { method: string; path(handle: Handle): string };
  /** Absent if the provider does not call back. */
  callbacks?: Callbacks;
};

export type Callbacks = {
  /** The body of a callback for a run by its id. */
  ended(id: string): object;
  failed(id: string): object;
  /** Reports that the run is running. */
  notEnded(id: string): object;
  /** Reports the end without the result, which must be polled. */
  incomplete?(id: string): object;
  /** Absent if only the token in the URL authenticates a callback. */
  signing?: {
    /** The headers that the provider sends with a body; `forged`: signed with another key. */
    headers(body: Buffer, how: { atS: number; forged: boolean }): Record<string, string>;
    /** The response that contains the verification key. */
    key(): Reply;
  };
};

/** A submission with every field that an adapter may read. */
export function submissionOf(
  subject: Pick<Subject, 'submission'>,
  part: Partial<Submission> = {},
): Submission {
  return {
    executionId: 'exec_0190f0aa-1111-7222-8333-444455556666',
    token,
    startedAtMs: Date.now(),
    providerModel: secrets.providerModel,
    input: { prompt: 'hello' },
    parts: [],
    options: {},
    mode: 'sync',
    callbackUrl: null,
    timeoutMs: 10_000,
    ...subject.submission,
    ...part,
    mapping: {
      output: { kind: 'text' },
      errors: [],
      fields: sentFields,
      ...subject.submission.mapping,
      ...part.mapping,
    },
  };
}

/** The submission of a run that ends by a callback. */
export function callbackSubmission(subject: Subject): Submission {
  return submissionOf(subject, { mode: 'callback', callbackUrl });
}

/** The run of a submission, named by the adapter or else by the provider. */
export function runOf(provider: Provider, submission: Submission, baseUrl: string): Run {
  return { id: provider.handleFor(submission)?.externalId ?? providerRunId, baseUrl };
}

/** A clock that advances five seconds at each reading. */
export function acceleratedClock(): () => number {
  let looks = 0;
  return () => {
    looks += 1;
    return Date.now() + looks * 5000;
  };
}
