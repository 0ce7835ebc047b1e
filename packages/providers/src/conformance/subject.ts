import type { ExecutionErrorCode } from '@holdfast/domain/errors';
import type { Success } from '@holdfast/domain/outcome';
import type { Connection } from '../connection.ts';
import type { Handle, Provider, RunProgress, Submission } from '../interface.ts';
import type { Reply } from './counterpart.ts';

/** Stand in error texts of the counterpart, and must not reach a client; so must its host and the adapter's name. */
export const secrets = {
  apiKey: 'sk-very-secret-1234567890',
  providerModel: 'acme/secret-model-7b',
  upstream: 'AzureException',
} as const;

export const token = 'token-of-the-attempt';
export const callbackUrl = `http://127.0.0.1:9/callbacks/${token}`;

/** What clients choose of a request; the provider calls `image` what they call `picture`. */
export const sentFields = {
  prompt: { name: 'prompt', schema: { type: 'string' } },
  width: { name: 'width', schema: { type: 'integer' } },
  image: { name: 'picture', schema: { type: 'array', items: { type: 'string' } } },
} as const;

/** What the provider calls a run where the adapter leaves it to name them. */
export const theirId = 'theirs-4f7d';

/** A run as the counterpart knows it. `id`: the one that the adapter chose, else one of the provider's. */
export type Run = { id: string; baseUrl: string };

/** What the suite must know of an adapter's wire format. Where several replies are asked for, they are given in order. */
export type Subject = {
  name: string;
  create(connection: Connection): Provider;
  /** `<NAME>_<SETTING>` of the connection, when it needs any. */
  settings?(baseUrl: string): Record<string, string>;
  submission: Partial<Submission>;
  /** The header that shows a key. Default: as a bearer token. */
  authorization?(apiKey: string): string;
  /** A run that ends in the answer to its submit; absent: none does. */
  success?(id: string): Reply;
  outcome: Partial<Success>;
  /** Each answer the protocol has for a submit that went wrong, and what it means. */
  failures: SubjectFailure[];
  /** Answers that a field of what was submitted is wrong, in the protocol's own form; `text` is what it says of it. */
  invalid(field: string, text: string): Reply;
  /** Answers 2xx to a submit that hold no usable result. */
  empty: Reply[];
  /**
   * What `recover` does: submits again, which joins the run that the same token began; has nobody to ask; or asks.
   */
  recovery: 'submits again' | 'impossible' | Recovery;
  /** Absent: it always answers at once. */
  later?: Later;
};

export type SubjectFailure = {
  name: string;
  reply: Reply;
  state: 'ended' | 'refused' | 'unknown';
  code: ExecutionErrorCode;
  says?: RegExp;
  /** Of a refusal: default any number of milliseconds. */
  retryAfterMs?: number | null;
  /** Of a refusal: whether it is for want of capacity. Default: 429 and 503 are, unless asking again is of no use. */
  busy?: boolean;
  /** The operator is told of it. */
  alerts?: boolean;
};

/** What the provider answers when it is asked what became of a submit whose answer was lost. */
export type Recovery = {
  submission?: Partial<Submission>;
  running(run: Run): Reply[];
  ended(run: Run): Reply[];
  /** The submit was never accepted. */
  absent(run: Run): Reply[];
};

export type Later = {
  accepted(run: Run): Reply;
  /** To questions about a run: it goes on, it has succeeded. */
  running(run: Run): Reply[];
  succeeded(run: Run): Reply[];
  /** To questions about a run that has failed. */
  failures?: { name: string; replies(run: Run): Reply[]; code: ExecutionErrorCode; says?: RegExp }[];
  /** A run that goes on, with all that the protocol tells of it. */
  telling?: { replies(run: Run): Reply[]; told: RunProgress };
  cancel: { method: string; path(handle: Handle): string };
  /** Absent: it does not call back. */
  callbacks?: Callbacks;
};

export type Callbacks = {
  /** Bodies of callbacks about the run `id`. */
  ended(id: string): object;
  failed(id: string): object;
  /** Says nothing of the end. */
  notEnded(id: string): object;
  /** Says that the run has ended, but not all: the provider is to be asked. */
  asks?(id: string): object;
  /** Absent: the token in the URL is what authenticates a callback. */
  signing?: {
    /** The headers that the provider sends with a body; `forged`: by one who has not its key. */
    headers(body: Buffer, how: { atS: number; forged: boolean }): Record<string, string>;
    /** What the counterpart answers to one who asks for the key to verify with. */
    key(): Reply;
  };
};

/** A submission with everything an adapter may look at. */
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

/** The submission of a run that calls back. */
export function calledBack(subject: Subject): Submission {
  return submissionOf(subject, { mode: 'callback', callbackUrl });
}

/** The run of a submission, named by the adapter or else by the provider. */
export function runOf(provider: Provider, submission: Submission, baseUrl: string): Run {
  return { id: provider.handleFor(submission)?.externalId ?? theirId, baseUrl };
}

/** A clock by which time to try again has come at every look. */
export function hurried(): () => number {
  let looks = 0;
  return () => {
    looks += 1;
    return Date.now() + looks * 5000;
  };
}
