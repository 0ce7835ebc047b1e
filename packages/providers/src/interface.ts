import type { Readable } from 'node:stream';
import type { StreamKind } from '@holdfast/domain/modelDefinition';
import type { ProviderMode } from '@holdfast/domain/modelRoute';
import type { Failure, Outcome, OutcomeMapping, Success } from '@holdfast/domain/outcome';
import type { OutputBody } from './outputBody.ts';

/** One run of a model. Nothing here is specific to a provider. */
export type Submission = {
  executionId: string;
  /** Unguessable and unique per attempt; the idempotency token where a provider takes one. */
  token: string;
  /** When the attempt started, in ms since 1970 by the database's clock. */
  startedAtMs: number;
  /** `provider.model` of the model's YAML. */
  providerModel: string;
  /** As this provider takes it: `file_` ids replaced by URLs or data URIs. */
  input: Record<string, unknown>;
  /** Files sent as parts of a form, whose ids are still in `input`. */
  parts: FilePart[];
  options: Record<string, unknown>;
  mode: ProviderMode;
  mapping: OutcomeMapping;
  /** Null when the provider cannot reach us. */
  callbackUrl: string | null;
  /** Until the execution expires. */
  timeoutMs: number;
  /**
   * Without one the output is shown at its end. With one `submit` asks the provider to stream and returns at the end of the
   * run. A stream that breaks off is resumed where the protocol can; else it is `running` if the run can be polled, or
   * `unknown`. When the signal aborts, the provider's connection is closed, and a run that would go on is cancelled.
   */
  sink?: OutputSink;
};

/**
 * Shows the output of a run while it is made. The pieces of all its calls, joined, must be the output in the outcome, but for
 * partial images, which only lead to it. An adapter awaits each call before it reads on: the provider is read no faster than output is stored.
 */
export type OutputSink = {
  kind: StreamKind;
  /** A piece of text (never half a character), a JSON value, bytes of audio, or the URL of a partial image, as `kind` says. */
  output(piece: unknown): Promise<void>;
  /** Lines of the run's log that are new. */
  logs(lines: string): void;
  /** 0 to 1. */
  progress(share: number): void;
  /** The whole usage so far, where the provider reports it before the end. */
  usage(usage: Success['usage']): void;
};

export function awaitsCallback({ mode, callbackUrl }: Submission): boolean {
  return mode === 'callback' && callbackUrl !== null;
}

export type FilePart = {
  /** The path of the file's id in `input`. */
  path: (string | number)[];
  filename: string;
  contentType: string;
  sizeBytes: number;
  open(): Promise<Readable>;
};

/** Characters of a provider's run id, which is stored per attempt and used in URLs. */
export const maxIdLength = 512;

/** What an adapter needs to poll or cancel a run. Stored as JSON, never shown to clients. */
export type Handle = { externalId: string } & Record<string, string>;

export type Progress =
  /** Files in the output are still the provider's URLs or references to `bodies`, which the caller closes. */
  | {
      state: 'ended';
      outcome: Outcome;
      bodies?: readonly OutputBody[];
      alert?: string;
      logs?: string;
      isTheirFault?: true;
    }
  /** Accepted. While a callback is awaited, pauses between polls double, unless polls report progress (`isSteady`). */
  | ({
      state: 'running';
      handle: Handle;
      by: 'callback' | 'poll';
      pollAfterMs: number;
      isSteady?: true;
    } & RunProgress)
  /**
   * Certainly not accepted: retry here after `retryAfterMs` (null: never) or at the next provider; after the last, fail with
   * `outcome`. `mayHaveRun`: an earlier submit may be accepted: use the same token. `isBusy`: no capacity, wait until expiry.
   * `isDead`: accepts no run before a restart. `isLost`: the provider lost a run that it may have accepted, submit it again.
   */
  | {
      state: 'refused';
      retryAfterMs: number | null;
      outcome: Failure;
      alert?: string;
      mayHaveRun?: true;
      isBusy?: true;
      isDead?: true;
      isLost?: true;
    }
  /** Perhaps accepted. If `recover` cannot find out, the run fails with the first `outcome`. `isBusy`: no capacity. */
  | { state: 'unknown'; outcome: Failure; isBusy?: true };

export type RunProgress = {
  /** 0 to 1. */
  progress?: number;
  /** 0 is next. */
  queuePosition?: number;
  /** The whole log so far. */
  logs?: string;
};

/** `alert`: for the operator, never for the client. `isTheirFault`: the provider itself failed (500), which counts against it. */
export type Ended = Extract<Progress, { state: 'ended' }>;

/** `poll`: poll the provider. `later`: it cannot be verified now and is read again. Null: not authentic, or says nothing. */
export type CallbackReading = Ended | 'poll' | 'later' | null;

export type Callback = {
  headers: Record<string, string>;
  body: Buffer;
  /** Milliseconds since 1970: verify signatures against it, because a callback may have waited. */
  receivedAtMs: number;
};

/** As in Standard Webhooks: a callback with another timestamp may be a replay. */
const toleranceS = 300;

/** Whether a signed timestamp, in seconds since 1970, is close to the arrival. */
export function isTimely(
  timestampS: string | undefined,
  { receivedAtMs }: Pick<Callback, 'receivedAtMs'>,
): boolean {
  return (
    timestampS !== undefined &&
    /^\d{1,12}$/.test(timestampS) &&
    Math.abs(receivedAtMs / 1000 - Number(timestampS)) <= toleranceS
  );
}

/** The run a callback claims to be about, by the token in its URL. */
export type CallbackRun = {
  token: string;
  handle: Handle | null;
  mapping: OutcomeMapping;
} & Pick<Submission, 'providerModel' | 'options'>;

/** One provider's protocol. Adapters keep no state; no method throws for anything a provider or the network does. */
export type Provider = {
  readonly name: string;
  submit(submission: Submission, signal: AbortSignal): Promise<Progress>;
  /** Whether `poll` may submit the input again and so needs it as it was submitted. */
  pollsWithInput?(handle: Handle): boolean;
  /** `running` when the provider could not be reached. */
  poll(submission: Submission, handle: Handle, signal: AbortSignal): Promise<Progress>;
  /** Best effort; never throws for a run that is gone. */
  cancel(handle: Handle, signal: AbortSignal): Promise<void>;
  /** The handle to cancel by while `submit` is pending; null: only aborting the submit is possible. */
  handleFor(submission: Submission): Handle | null;
  /** Finds a run whose submit had no response, so that it can be cancelled. Absent when only a second submit could find it. */
  find?(submission: Submission, signal: AbortSignal): Promise<Handle | null>;
  /** `run.handle` is null before our submit has returned. */
  readCallback(callback: Callback, run: CallbackRun): Promise<CallbackReading>;
  /** After a crash or a lost response: joins the run with this token, or returns its end. `unknown` without a lookup. */
  recover(submission: Submission, signal: AbortSignal): Promise<Progress>;
  close(): void;
};
