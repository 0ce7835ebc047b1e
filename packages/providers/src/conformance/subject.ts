import type { ExecutionErrorCode } from '@holdfast/domain/errorCodes';
import type { Success } from '@holdfast/domain/outcome';
import type { Connection } from '../connection.ts';
import type { Handle, Provider, Submission } from '../interface.ts';
import type { Reply } from './counterpart.ts';

/** Stand in error texts of the counterpart, and must not reach a client; so must its host and the adapter's name. */
export const secrets = {
  apiKey: 'sk-very-secret-1234567890',
  providerModel: 'acme/secret-model-7b',
} as const;

/** What the suite must know of an adapter's wire format. */
export type Subject = {
  name: string;
  create(connection: Connection): Provider;
  submission: Partial<Submission>;
  /** A run that ends in the answer. `id`: the external id that the adapter chose, if it does. */
  success(id: string): Reply;
  outcome: Partial<Success>;
  /** Each answer the protocol has for a no, and what it means. */
  failures: {
    name: string;
    reply: Reply;
    state: 'ended' | 'refused';
    code: ExecutionErrorCode;
    says?: RegExp;
  }[];
  /** Answers 2xx that hold no usable result. */
  empty: Reply[];
  /** Submitting the same token again joins the run; so `recover` submits again. */
  isIdempotent: boolean;
  /** Absent: it always answers at once. */
  later?: {
    accepted(id: string): Reply;
    cancelPath(handle: Handle): string;
    /** Bodies of callbacks about the run `id`. */
    ended(id: string): object;
    failed(id: string): object;
    notEnded(id: string): object;
  };
};

/** A submission with everything an adapter may look at. */
export function submissionOf(subject: Subject, part: Partial<Submission> = {}): Submission {
  return {
    executionId: 'exec_0190f0aa-1111-7222-8333-444455556666',
    token: 'token-of-the-attempt',
    begunAtMs: Date.now(),
    providerModel: secrets.providerModel,
    input: { prompt: 'hello' },
    parts: [],
    options: {},
    mode: 'sync',
    mapping: { output: { kind: 'text' }, errors: [] },
    callbackUrl: null,
    timeoutMs: 10_000,
    ...subject.submission,
    ...part,
  };
}
